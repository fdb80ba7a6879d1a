/** The same stream; says when it breaks, after what came before was read. */
export function watchBreaking(
  body: ReadableStream<Uint8Array>,
  broke: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        broke()
        controller.error(error)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
