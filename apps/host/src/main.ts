#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { processOutput } from './lib/output.ts'
import { runHost } from './lib/run-host.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

process.exitCode = await runHost(process.argv.slice(2), { version, output: processOutput() })
