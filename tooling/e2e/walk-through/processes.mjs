// Real programs of this project, started as a reader would start them.
import { spawn } from 'node:child_process'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..', '..', '..')

const programs = {
  truename: join(root, 'apps', 'proxy', 'dist', 'main.js'),
  'truename-host': join(root, 'apps', 'host', 'dist', 'main.js'),
}

/** What a program printed, and how it ended. */
const finished = (child) =>
  new Promise((resolve, reject) => {
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })

/** Runs `truename …` or `truename-host …` to its end. */
export function runProgram(name, args, { cwd, env }) {
  const child = spawn(process.execPath, [programs[name], ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return finished(child)
}

/** Starts `truename serve --http` on a free port; resolves when it says where it listens. */
export async function startProxy(args, { cwd, env }) {
  const child = spawn(process.execPath, [programs.truename, 'serve', '--http', '127.0.0.1:0', ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  const url = new Promise((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      log += text
      const found = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(log)
      if (found) resolve(found[0])
    })
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`truename serve ended with ${code}\n${log}`)))
  })
  const exited = new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal })))
  return {
    pid: child.pid,
    url: await url,
    /** Everything it wrote for people so far. */
    log: () => log,
    async stop(signal = 'SIGINT') {
      child.kill(signal)
      return exited
    },
  }
}
