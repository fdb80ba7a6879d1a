import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Era, JsonObject, Outcome, Service, Upstream } from '@truename/mcp-link'
import { connect, serveHttp } from '@truename/sdk-v2'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { expect, onTestFinished } from 'vitest'
import { createDocumentStore, type DocumentStoreOptions } from '../src/lib/document-store.ts'
import { createKnowledgeBase, type KnowledgeOptions } from '../src/lib/knowledge-service.ts'

export const eras = ['legacy', 'modern'] as const

/** Writes files below a folder. */
export function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** A folder in which each name has a file of its own that holds that very name, or another text made of it. */
export function folderOf(
  names: readonly string[],
  more: Readonly<Record<string, string>> = {},
  textOf: (name: string) => string = (name) => name,
): string {
  const folder = temporaryFolder()
  const documents = Object.fromEntries(names.map((name, at) => [name, `f${at}.txt`]))
  writeFiles(folder, {
    ...Object.fromEntries(names.map((name, at) => [`f${at}.txt`, textOf(name)])),
    'catalog.json': JSON.stringify({ documents }),
    ...more,
  })
  return folder
}

/** Serves a service over HTTP on a free port until the test ends. */
export async function serve(service: Service): Promise<string> {
  const endpoint = await serveHttp(service, { host: '127.0.0.1', port: 0, path: '/mcp' })
  onTestFinished(() => endpoint.close())
  return endpoint.url
}

/** Serves a folder of documents. */
export async function serveFolder(
  folder: string,
  options: Partial<DocumentStoreOptions> & Partial<KnowledgeOptions> = {},
): Promise<string> {
  const store = await createDocumentStore({ folder, watch: false, ...options })
  const knowledge = createKnowledgeBase({ version: '0.0.0', ...options, store })
  onTestFinished(async () => {
    knowledge.close()
    await store.close()
  })
  return serve(knowledge.service)
}

/** A client of one era, connected until the test ends. */
export async function client(url: string, era: Era): Promise<Upstream> {
  const connected = await connect(
    { id: 'kb', kind: 'http', url, headers: {}, written: { url }, options: {} },
    { client: { name: 'test', version: '0.0.0' }, era },
  )
  if (!connected.ok) throw new Error(connected.failure.message)
  onTestFinished(() => connected.upstream.close())
  expect(connected.upstream.negotiation.era).toBe(era)
  return connected.upstream
}

/** The value of a result. */
export function resultOf(outcome: Outcome): JsonObject {
  if (outcome.kind !== 'result') throw new Error(`no result: ${JSON.stringify(outcome)}`)
  return outcome.value
}

/** The error of a request that failed at the peer. */
export function errorOf(outcome: Outcome): { code: number; message: string; data: JsonObject } {
  if (outcome.kind !== 'error' || outcome.failure !== undefined)
    throw new Error(`no error: ${JSON.stringify(outcome)}`)
  const { code, message, data } = outcome.error
  return { code, message, data: (data ?? {}) as JsonObject }
}

/** Reads one URI and gives its only text. */
export async function readText(upstream: Upstream, uri: string): Promise<string> {
  const { contents } = resultOf(await upstream.request('resources/read', { uri })) as unknown as {
    contents: { uri: string; text: string }[]
  }
  expect(contents).toHaveLength(1)
  expect(contents[0]?.uri).toBe(uri)
  return contents[0]?.text ?? ''
}
