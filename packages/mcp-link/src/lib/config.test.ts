import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadConfig, parseConfig } from './config.ts'
import { ConfigError } from './config-error.ts'

const parse = (text: string, env: Record<string, string> = {}) =>
  parseConfig(text, { file: '/project/truename.json', env })
const fault = (text: string, env: Record<string, string> = {}): ConfigError => {
  try {
    parse(text, env)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('it was accepted')
}
const servers = (entries: unknown): string => JSON.stringify({ mcpServers: entries })

describe('a configuration', () => {
  it('reads the file MCP clients share, with comments, trailing commas and a byte order mark', () => {
    const config = parse(
      `\ufeff{
  // the servers
  "mcpServers": {
    "kb": { "command": "node", "args": ["main.js", "\${DOCS:-./docs}"], "env": { "LEVEL": 3, "TOKEN": "\${TOKEN}" }, "cwd": "sub" },
    "shop": { "type": "http", "url": "https://shop.example/\${PATH_}", "headers": { "Authorization": "Bearer \${TOKEN}" } }, /* end */
  },
  "truename": { "lock": "\${NOT_EXPANDED}", "servers": { "kb": { "uris": "prefixed" } } },
}`,
      { TOKEN: 's3cret', PATH_: 'mcp' },
    )
    expect(config.file).toBe('/project/truename.json')
    expect(config.folder).toBe('/project')
    expect(config.warnings).toEqual([])
    expect(config.truename).toEqual({ lock: '${NOT_EXPANDED}', servers: { kb: { uris: 'prefixed' } } })
    expect(config.servers).toEqual([
      {
        id: 'kb',
        kind: 'stdio',
        command: 'node',
        args: ['main.js', './docs'],
        env: { LEVEL: '3', TOKEN: 's3cret' },
        cwd: '/project/sub',
        options: { uris: 'prefixed' },
        written: {
          command: 'node',
          args: ['main.js', '${DOCS:-./docs}'],
          env: { LEVEL: 3, TOKEN: '${TOKEN}' },
          cwd: 'sub',
        },
      },
      {
        id: 'shop',
        kind: 'http',
        url: 'https://shop.example/mcp',
        headers: { Authorization: 'Bearer s3cret' },
        options: {},
        written: {
          type: 'http',
          url: 'https://shop.example/${PATH_}',
          headers: { Authorization: 'Bearer ${TOKEN}' },
        },
      },
    ])
  })

  it('takes variables that are numbers as they are written, and null for those that are not to be there', () => {
    const env = '{ "LONG": 12345678901234567890, "VERSION": 1.0, "ON": true, "HOME": null }'
    expect(parse(`{"mcpServers":{"a":{"command":"c","env":${env}}}}`).servers[0]).toMatchObject({
      env: { LONG: '12345678901234567890', VERSION: '1.0', ON: 'true', HOME: null },
    })
  })

  it('reads the servers of VS Code, and the older HTTP transport where it is asked for', () => {
    const config = parse(
      '{"inputs":[],"servers":{"a":{"type":"stdio","command":"a"},"b":{"type":"sse","url":"http://localhost:1/sse"}}}',
    )
    expect(config.servers).toMatchObject([
      { id: 'a', kind: 'stdio', cwd: '/project' },
      { id: 'b', kind: 'http', transport: 'sse' },
    ])
  })

  it('keeps server names as they are, whatever they are', () => {
    const names = ['Б', 'a.b', 'constructor', '__proto__', ' x ']
    const text = `{"mcpServers":{${names.map((name) => `${JSON.stringify(name)}:{"command":"c"}`).join()}}}`
    const config = parse(text)
    expect(config.servers.map(({ id }) => id)).toEqual(names)
  })

  it('reports what it does not know with its place, and goes on', () => {
    const config = parse(
      '{\n  "mcpServers": {\n    "a": { "command": "c", "shell": true },\n    "off": { "command": "c", "disabled": true }\n  },\n  "extra": 1,\n  "truename": { "servers": { "b": {} } }\n}',
    )
    expect(config.servers.map(({ id }) => id)).toEqual(['a'])
    expect(config.warnings).toEqual([
      { line: 3, column: 28, message: 'server "a": unknown member "shell" is ignored' },
      { line: 4, column: 5, message: 'server "off" is disabled and left out' },
      { line: 6, column: 3, message: 'unknown member "extra" is ignored' },
      { line: 7, column: 30, message: 'truename.servers names "b", which is no server here' },
    ])
  })

  it.each<[string, string, string, number, number, RegExp]>([
    ['an empty file', '', 'syntax', 1, 1, /the file is empty/],
    ['text after the document', '{"mcpServers":{}} {}', 'syntax', 1, 19, /after the end/],
    ['a missing comma', '{\n "mcpServers": {}\n "truename": {}\n}', 'syntax', 3, 2, /","/],
    ['an open string', '{"mcpServers": "', 'syntax', 1, 16, /not closed/],
    ['a list', '[]', 'no-servers', 1, 1, /an object with "mcpServers"/],
    ['no servers', '{"truename":{}}', 'no-servers', 1, 1, /Neither/],
    ['servers that are a list', '{"mcpServers":[]}', 'no-servers', 1, 15, /has to be an object/],
    ['a server that is text', '{"mcpServers":{"a":"npx"}}', 'invalid-server', 1, 20, /Server "a"/],
    ['neither command nor url', '{"mcpServers":{"a":{}}}', 'invalid-server', 1, 20, /needs "command"/],
    [
      'both command and url',
      servers({ a: { command: 'c', url: 'http://x' } }),
      'invalid-server',
      1,
      20,
      /both/,
    ],
    [
      'a command of the wrong kind',
      '{"mcpServers":{"a":{"command":["c"]}}}',
      'invalid-server',
      1,
      31,
      /command/,
    ],
    [
      'an argument of the wrong kind',
      '{"mcpServers":{"a":{"command":"c","args":["x",\n{}]}}}',
      'invalid-server',
      2,
      1,
      /args\.1/,
    ],
    ['a URL that is none', servers({ a: { url: 'shop.example' } }), 'invalid-server', 1, 27, /absolute/],
    ['a URL of another kind', servers({ a: { url: 'file:///x' } }), 'invalid-server', 1, 27, /absolute/],
    [
      'a header that is none',
      servers({ a: { url: 'http://x', headers: { 'a b': 'c' } } }),
      'invalid-server',
      1,
      55,
      /headers: "a b": it is no legal HTTP header name/,
    ],
    [
      'a header over two lines',
      servers({ a: { url: 'http://x', headers: { a: 'x\r\ny: z' } } }),
      'invalid-server',
      1,
      53,
      /headers: "a": its value holds a line break/,
    ],
    [
      'a header that is there in two spellings',
      servers({ a: { url: 'http://x', headers: { 'X-A': '1', 'x-a': '2' } } }),
      'invalid-server',
      1,
      65,
      /"X-A" and "x-a" are one header to HTTP; keep one/,
    ],
    [
      'a URL with a password',
      servers({ a: { url: 'https://ana:s3cret@x.example/' } }),
      'invalid-server',
      1,
      27,
      /Server "a": url: it holds a user name or password(?!.*s3cret).*"Authorization"/,
    ],
    [
      'an argument with a NUL',
      servers({ a: { command: 'c', args: ['s3cret\0'] } }),
      'invalid-server',
      1,
      43,
      /args\.0 holds a NUL character(?!.*s3cret)/,
    ],
    [
      'a variable whose name says where it ends',
      servers({ a: { command: 'c', env: { 'A=B': 'c' } } }),
      'invalid-server',
      1,
      48,
      /env: "A=B": a variable has a name that/,
    ],
    [
      'a server twice',
      '{"mcpServers":{"a":{"command":"c"},\n"a":{"command":"d"}}}',
      'duplicate-server',
      2,
      1,
      /Server "a" is there twice \(first at line 1, column 16\); rename one/,
    ],
    [
      'the servers twice',
      '{"mcpServers":{"a":{"command":"c"}},\n "mcpServers":{}}',
      'duplicate-member',
      2,
      2,
      /"mcpServers" is twice in the file \(first at line 1, column 2\); keep the one/,
    ],
    [
      'a variable twice, spelt in two ways',
      '{"mcpServers":{"a":{"command":"c","env":{"A":"1",\n"\\u0041":"1"}}}}',
      'duplicate-member',
      2,
      1,
      /"A" is twice in mcpServers\.a\.env /,
    ],
    [
      'a member twice in a server that is disabled',
      '{"servers":{"a":{"disabled":true,"command":"c","disabled":false}}}',
      'duplicate-member',
      1,
      48,
      /"disabled" is twice in servers\.a /,
    ],
    [
      'a member twice in a rule',
      '{"mcpServers":{},"truename":{"policy":[{"server":"a","server":"b"}]}}',
      'duplicate-member',
      1,
      54,
      /"server" is twice in truename\.policy\.0 /,
    ],
    [
      'a server in both lists',
      '{"mcpServers":{"a":{"command":"c"}},"servers":{"a":{"command":"c"}}}',
      'duplicate-server',
      1,
      48,
      /there twice/,
    ],
    ['an empty name', servers({ '': { command: 'c' } }), 'invalid-server', 1, 16, /not empty/],
    ['truename that is a list', '{"mcpServers":{},"truename":[]}', 'invalid-options', 1, 29, /"truename"/],
    [
      'a variable that is not set',
      '{"mcpServers":{"a":{"command":"c",\n "args":["--key", "${KEY}"]}}}',
      'missing-variable',
      2,
      19,
      /Server "a": args\.1 needs the environment variable KEY/,
    ],
    [
      'a question to a person',
      servers({ a: { command: '${input:key}' } }),
      'unsupported-variable',
      1,
      31,
      /\$\{input:key\}/,
    ],
    [
      'a variable within the default of another',
      servers({ a: { command: '${A:-${B}}' } }),
      'unsupported-variable',
      1,
      31,
      /\$\{A:-\$\{B\}\}/,
    ],
  ])('refuses %s, naming code, line and column', (_name, text, code, line, column, message) => {
    const error = fault(text)
    expect([error.code, error.line, error.column]).toEqual([code, line, column])
    expect(error.message).toMatch(message)
    expect(error.message.startsWith(`/project/truename.json:${line}:${column}: `)).toBe(true)
  })

  it('finds what is repeated wherever it stands, and leaves the rest of other programs to them', () => {
    const name = fc.constantFrom('a', 'b', 'c', '__proto__')
    const { tree } = fc.letrec<{ tree: unknown; object: [string, unknown][]; list: unknown[] }>((tie) => ({
      tree: fc.oneof({ maxDepth: 3 }, fc.constant(1), tie('object'), tie('list')),
      object: fc.array(fc.tuple(name, tie('tree')), { maxLength: 3 }),
      list: fc.array(tie('tree'), { maxLength: 2 }).map((items) => ({ items }) as never),
    }))
    const show = (value: unknown): string =>
      Array.isArray(value)
        ? `{${value.map(([key, inner]) => `${JSON.stringify(key)}:${show(inner)}`).join()}}`
        : typeof value === 'object'
          ? `[${(value as { items: unknown[] }).items.map(show).join()}]`
          : '1'
    const repeats = (value: unknown): boolean =>
      Array.isArray(value)
        ? new Set(value.map(([key]) => key)).size < value.length || value.some(([, inner]) => repeats(inner))
        : typeof value === 'object' && (value as { items: unknown[] }).items.some(repeats)
    fc.assert(
      fc.property(tree, (value) => {
        expect(parse(`{"mcpServers":{},"other":${show(value)},"other":1}`).servers).toEqual([])
        const text = `{"mcpServers":{},"truename":{"x":${show(value)}}}`
        if (repeats(value)) expect(fault(text).code).toBe('duplicate-member')
        else parse(text)
      }),
    )
  })

  it('expands once, takes defaults for what is unset or empty, and never shows a value in an error', () => {
    const config = parse(
      servers({ a: { command: '${A}', args: ['${B:-x:-y}', '${EMPTY:-d}', '${EMPTY}', '$A', '${env:A}'] } }),
      {
        A: '${B}',
        EMPTY: '',
      },
    )
    expect(config.servers[0]).toMatchObject({ command: '${B}', args: ['x:-y', 'd', '', '$A', '${B}'] })
    for (const [url, key] of [
      ['nonsense ${A}', 's3cret'],
      ['https://ana:${A}@x.example', 's3cret'],
      ['https://x.example', 's3cret\n'],
      ['https://x.example', 's3cret\u041f'],
    ] as const)
      expect(fault(servers({ a: { url, headers: { key: '${A}' } } }), { A: key }).message).not.toContain(
        's3cret',
      )
  })

  it('takes any text without another error than its own', () => {
    const words = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '"mcpServers"',
      '"a"',
      '"command"',
      '"c"',
      '${',
      '}',
      '//',
      '/*',
      '\n',
      '1',
      'null',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words).map((parts) => parts.join('')),
        ),
        (text) => {
          try {
            parse(text)
          } catch (error) {
            expect(error).toBeInstanceOf(ConfigError)
          }
        },
      ),
    )
  })

  it('says which file is missing or cannot be read', () => {
    const folder = temporaryFolder()
    expect(() => loadConfig(join(folder, 'none.json'))).toThrow(
      expect.objectContaining({ code: 'not-found', line: 1 }),
    )
    mkdirSync(join(folder, 'folder.json'))
    expect(() => loadConfig(join(folder, 'folder.json'))).toThrow(
      expect.objectContaining({ code: 'unreadable' }),
    )
    const named = '{"mcpServers":{\n"caf\u00e9":{"command":"c"}}}'
    for (const [name, encoding, says] of [
      ['latin1.json', 'latin1', /latin1\.json:2:5: This is no UTF-8 text; save/],
      ['utf16.json', 'utf16le', /utf16\.json:1:1: The file is UTF-16 text; save/],
    ] as const) {
      writeFileSync(join(folder, name), `${encoding === 'utf16le' ? '\ufeff' : ''}${named}`, encoding)
      expect(() => loadConfig(join(folder, name))).toThrow(says)
    }
    writeFileSync(join(folder, 'utf8.json'), `\ufeff${named}`)
    expect(loadConfig(join(folder, 'utf8.json')).servers).toMatchObject([{ id: 'caf\u00e9' }])
    writeFileSync(join(folder, 'ok.json'), '{"mcpServers":{}}')
    expect(loadConfig(join(folder, 'ok.json')).folder).toBe(folder)
  })
})
