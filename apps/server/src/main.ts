#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { openLineLog } from '@truename/mcp-link'
import { Command } from 'commander'
import { createDocumentStore } from './lib/document-store.ts'
import { createKnowledgeBase } from './lib/knowledge-service.ts'
import { reporter, runProgram, runService } from './lib/run-service.ts'

const program = 'truename-server'
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

const command = new Command(program)
  .description(
    'An MCP server over a folder of documents, by name and by path; both eras, stdio and Streamable HTTP.',
  )
  .version(version)
  .requiredOption('--docs <folder>', 'the folder of documents, with a catalog.json that names them')
  .option('--http <host:port>', 'serve Streamable HTTP at /mcp instead of stdio, e.g. 127.0.0.1:8080')
  .option('--log <file>', 'append one JSON line for each read: which template matched, and how far it got')
  .option('--page-size <number>', 'resources on one page', '100')
  .allowExcessArguments(false)

interface Options {
  readonly docs: string
  readonly http?: string
  readonly log?: string
  readonly pageSize: string
}

await runProgram(program, async () => {
  const { docs, http, log: logFile, pageSize } = command.parse().opts<Options>()
  if (!/^[1-9]\d{0,4}$/.test(pageSize))
    command.error(`error: --page-size ${pageSize} is not a number from 1 to 99999`)
  const report = reporter(program)
  const log = logFile === undefined ? undefined : await openLineLog(logFile, report)
  const store = await createDocumentStore({ folder: docs, report })
  const knowledge = createKnowledgeBase({ store, version, pageSize: Number(pageSize), log })
  await runService(knowledge.service, {
    program,
    http,
    async onEnd() {
      knowledge.close()
      await store.close()
      await log?.close()
    },
  })
})
