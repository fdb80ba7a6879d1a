/** The text of a body, up to a limit in bytes; where it breaks off, what came so far. */
export async function readText(response: Response, limit: number): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    while (size < limit) {
      const { done, value } = await reader.read()
      if (done) return new TextDecoder().decode(Buffer.concat(chunks))
      chunks.push(value)
      size += value.byteLength
    }
  } catch {
    // What has arrived so far is what there is to show.
  }
  void reader.cancel().catch(() => undefined)
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, limit))
}
