// `npm start`: installs, builds, and starts the proxy over HTTP in front of the bundled servers,
// or of those in the reader's own file: `npm start -- --config my-mcp.json`.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build, environment, install, root } from './workspace.mjs'

const args = process.argv.slice(2)
const value = (name, fallback) => {
  const at = args.findIndex((argument) => argument === name || argument.startsWith(`${name}=`))
  if (at < 0) return fallback
  return args[at].includes('=') ? args[at].slice(name.length + 1) : args[at + 1]
}

const bundled = join(root, 'examples', 'bundled', 'truename.json')
const config = resolve(process.env.INIT_CWD ?? process.cwd(), value('--config', bundled))
const http = value('--http', '127.0.0.1:4873')

if (!existsSync(config)) {
  console.error(
    `${config}: there is no such file. Give the path of a file with "mcpServers": npm start -- --config my-mcp.json`,
  )
  process.exit(1)
}

install()
await build()

const proxy = join(root, 'apps', 'proxy', 'dist', 'main.js')
const serveArgs = [
  proxy,
  'serve',
  '--config',
  config,
  '--http',
  http,
  ...(config === bundled ? ['--tour'] : ['--lock-if-missing']),
]
const child = spawn(process.execPath, serveArgs, { cwd: root, stdio: 'inherit', env: environment })
// A terminal's Ctrl-C reaches the proxy by itself; a signal to this process alone is passed on. The proxy ends its servers.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill('SIGTERM'))
child.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal === 'SIGINT' || signal === 'SIGTERM' ? 0 : 1)
})
