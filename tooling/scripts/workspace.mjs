// What every script needs first: the packages installed, and a PATH on which their programs are found.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const pnpm = manifest.packageManager.split('+')[0]

/** The environment of every child: workspace programs first on the PATH, no telemetry. */
export const environment = {
  ...process.env,
  PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
  TURBO_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  console.error(`Truename needs Node 20.19 or newer; this is ${process.version}. See https://nodejs.org`)
  process.exit(1)
}

/** Installs what the lock file names, once: a second run finds the stamp of the first and needs no network. */
export function install() {
  requireNode()
  const stamp = join(root, 'node_modules', '.truename-install')
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'pnpm-lock.yaml')))
    .update(process.platform + process.arch)
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  console.log('Installing packages …')
  const done = spawnSync(
    process.platform === 'win32' ? 'npx.cmd' : 'npx',
    [
      '--yes',
      '--prefer-offline',
      pnpm,
      'install',
      '--frozen-lockfile',
      '--prefer-offline',
      '--reporter=append-only',
      '--loglevel=warn',
    ],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: environment,
      shell: process.platform === 'win32',
    },
  )
  if (done.status !== 0) {
    console.error('\nThe packages could not be installed (see above). The first run needs the npm registry.')
    process.exit(1)
  }
  writeFileSync(stamp, wanted)
}

/** Runs a program of the workspace with inherited output; resolves to its exit code. */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: environment, ...options })
    child.on('error', (error) => {
      console.error(`${command}: ${error.message}`)
      resolve(1)
    })
    child.on('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0)))
  })
}

/** Builds everything that is not built yet. */
export async function build() {
  const code = await run('turbo', ['run', 'build', '--output-logs=errors-only', '--log-order=grouped'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (code !== 0) {
    await run('turbo', ['run', 'build', '--output-logs=errors-only'])
    console.error('\nThe build failed (see above).')
    process.exit(1)
  }
}
