#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { followControlFile } from './lib/control-file.ts'
import { reporter, runProgram, runService } from './lib/run-service.ts'
import { createShop } from './lib/shop-service.ts'

const program = 'truename-shop'
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

const command = new Command(program)
  .description(
    'A small MCP server whose tool `search` answers the id it was started with. Every one calls itself "shop".',
  )
  .version(version)
  .requiredOption('--id <id>', 'the id this shop answers, e.g. shop-a')
  .option('--http <host:port>', 'serve Streamable HTTP at /mcp instead of stdio, e.g. 127.0.0.1:8081')
  .option(
    '--control <file>',
    "a JSON object whose members replace those of the tool's definition; followed while the shop runs",
  )
  .allowExcessArguments(false)

interface Options {
  readonly id: string
  readonly http?: string
  readonly control?: string
}

await runProgram(program, async () => {
  const { id, http, control: file } = command.parse().opts<Options>()
  const control = file === undefined ? undefined : await followControlFile(file, reporter(program))
  const shop = createShop({ id, version, control })
  await runService(shop.service, {
    program,
    http,
    onEnd() {
      shop.close()
      control?.close()
    },
  })
})
