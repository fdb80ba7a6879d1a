import type { Severity } from './drift.ts'
import { isObject, memberOf } from './json.ts'
import { redactUrl } from './redact.ts'

/** What can be said of the way a server is started or reached, before it is. */
export type EndpointCode = 'unpinned-package' | 'plain-http' | 'remote-code' | 'secret-in-config'

/** One thing a reviewer of a server's endpoint should see. */
export interface EndpointFinding {
  readonly code: EndpointCode
  readonly severity: Severity
  /** JSON Pointer from the server's entry in the config. */
  readonly pointer: string
  readonly message: string
  /** The package, program or URL, without secrets. */
  readonly subject: string
}

interface Runner {
  /** Words after the program that say "run a package". */
  readonly subcommands: readonly (readonly string[])[]
  /** Options that take a value, which is no package. */
  readonly valued: ReadonlySet<string>
  /** Options whose value is the package. */
  readonly named: ReadonlySet<string>
  readonly isPinned: (spec: string) => boolean
}

/** An exact version, not a tag or a range: what runs tomorrow is what runs today, dependencies aside. */
const npmPinned = (spec: string): boolean =>
  /^(?:@[^/@]+\/)?[^@]+@\d+\.\d+\.\d+(?:[-+].+)?$/.test(spec) || /^(?:\.{0,2}\/|file:)/.test(spec)
const pythonPinned = (spec: string): boolean =>
  /(?:==|@)\d+(?:\.\d+)*[a-z0-9.+]*$/.test(spec) || /^\.{0,2}\//.test(spec)
const imagePinned = (spec: string): boolean => /@sha256:[0-9a-f]{64}$/.test(spec)

const npm: Runner = {
  subcommands: [[]],
  valued: new Set(['--registry', '--cache', '--userconfig', '-w', '--workspace', '-c', '--call']),
  named: new Set(['-p', '--package']),
  isPinned: npmPinned,
}
const python: Runner = {
  subcommands: [[]],
  valued: new Set(['--python', '-p', '--index-url', '--with', '--directory', '--cache-dir']),
  named: new Set(['--from', '--spec']),
  isPinned: pythonPinned,
}
const container: Runner = {
  subcommands: [['run'], ['container', 'run']],
  valued: new Set([
    '-e',
    '--env',
    '-v',
    '--volume',
    '--name',
    '--network',
    '-p',
    '--publish',
    '--mount',
    '-u',
    '--user',
    '-w',
    '--workdir',
    '--entrypoint',
    '--env-file',
    '--platform',
    '-l',
    '--label',
    '--add-host',
  ]),
  named: new Set(),
  isPinned: imagePinned,
}

const runners: Readonly<Record<string, Runner>> = {
  npx: npm,
  bunx: npm,
  npm: { ...npm, subcommands: [['exec'], ['x']] },
  pnpm: { ...npm, subcommands: [['dlx']] },
  yarn: { ...npm, subcommands: [['dlx']] },
  bun: { ...npm, subcommands: [['x']] },
  uvx: python,
  uv: { ...python, subcommands: [['tool', 'run'], ['x']] },
  pipx: { ...python, subcommands: [['run']] },
  docker: container,
  podman: container,
}

/**
 * What a reviewer should know of a server's entry before it is started: a package or image without an exact version
 * (what is approved today is not what runs tomorrow), code fetched at start, plain HTTP to another machine, secrets
 * written into the config.
 */
export function checkEndpoint(config: object): EndpointFinding[] {
  return typeof memberOf(config, 'command') === 'string' ? checkProcess(config) : checkUrl(config)
}

function checkProcess(config: object): EndpointFinding[] {
  const program = String(memberOf(config, 'command'))
    .replace(/^.*[\\/]/, '')
    .replace(/\.(?:cmd|exe|ps1)$/i, '')
  const given = memberOf(config, 'args')
  const args = Array.isArray(given) ? given.map(String) : []
  const findings: EndpointFinding[] = secretsIn(config)
  const runner = Object.hasOwn(runners, program) ? runners[program] : undefined
  const found = runner && packageOf(args, runner)
  if (found && runner && !runner.isPinned(found.spec)) {
    findings.push({
      code: 'unpinned-package',
      severity: 'medium',
      pointer: `/args/${found.index}`,
      message: 'a package or image without an exact version: another one may run tomorrow',
      subject: found.spec,
    })
  }
  const script = /^(?:ba|z|da)?sh$/.test(program) ? args.join(' ') : ''
  if (/\b(?:curl|wget)\b[^|]*\|\s*(?:\S+\/)?(?:(?:ba|z)?sh|node|python\d?)\b/.test(script)) {
    findings.push({
      code: 'remote-code',
      severity: 'high',
      pointer: '/args',
      message: 'a script that is fetched and run at every start',
      subject: program,
    })
  }
  return findings
}

function packageOf(
  args: readonly string[],
  runner: Runner,
): { readonly spec: string; readonly index: number } | undefined {
  const subcommand = runner.subcommands.find((words) => words.every((word, index) => args[index] === word))
  if (subcommand === undefined) return undefined
  for (let index = subcommand.length; index < args.length; index += 1) {
    const arg = args[index] as string
    const [option, value] = arg.startsWith('--') ? splitOption(arg) : [arg, undefined]
    if (runner.named.has(option)) {
      const at = value === undefined ? index + 1 : index
      const spec = value ?? args[at]
      return spec === undefined ? undefined : { spec, index: at }
    }
    if (arg === '--') continue
    if (arg.startsWith('-')) {
      if (value === undefined && runner.valued.has(option)) index += 1
      continue
    }
    return { spec: arg, index }
  }
  return undefined
}

const splitOption = (arg: string): [string, string | undefined] => {
  const at = arg.indexOf('=')
  return at < 0 ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)]
}

function secretsIn(config: object): EndpointFinding[] {
  const findings: EndpointFinding[] = []
  for (const part of ['env', 'headers']) {
    const values = memberOf(config, part)
    if (!isObject(values)) continue
    for (const [name, value] of Object.entries(values)) {
      const secret = /(?:key|token|secret|passw|credential|authorization|cookie)/i.test(name)
      if (!secret || typeof value !== 'string' || value === '' || value.includes('${')) continue
      findings.push({
        code: 'secret-in-config',
        severity: 'low',
        pointer: `/${part}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        message: 'what looks like a secret, written out; refer to a variable of the environment instead',
        subject: name,
      })
    }
  }
  return findings
}

function checkUrl(config: object): EndpointFinding[] {
  const findings = secretsIn(config)
  const url = memberOf(config, 'url')
  if (
    typeof url === 'string' &&
    /^http:/i.test(url) &&
    !/^http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/?#]|$)/i.test(url)
  ) {
    findings.push({
      code: 'plain-http',
      severity: 'medium',
      pointer: '/url',
      message: 'HTTP without TLS to another machine: what is approved can be changed on the way',
      subject: redactUrl(url),
    })
  }
  return findings
}
