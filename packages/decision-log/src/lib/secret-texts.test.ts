import { describe, expect, it } from 'vitest'
import { createRedactor, secretKeys } from './redact.ts'
import { secretTexts } from './secret-texts.ts'

const redactor = createRedactor({
  keys: [secretKeys],
  texts: secretTexts,
  secrets: ['hunter2-correct-horse'],
})

describe('redaction by form', () => {
  it.each([
    ['Authorization: Bearer abc.def-ghi_jkl', 'Authorization: [redacted] [redacted]'],
    ['curl -H "Basic dXNlcjpwYXNz"', 'curl -H "Basic [redacted]"'],
    ['token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl here', 'token [redacted] here'],
    ['ghp_16C7e42F292c6912E7710c838347Ae178B4a', '[redacted]'],
    ['use sk-proj-abcdefghijklmnopqrstuvwxyz', 'use [redacted]'],
    ['id AKIAIOSFODNN7EXAMPLE', 'id [redacted]'],
    ['postgres://app:s3cret@db.example/app', 'postgres://app:[redacted]@db.example/app'],
    ['https://shop.example/?token=abc123&page=2', 'https://shop.example/?token=[redacted]&page=2'],
    ['{"password":"x y \\" z","page":2}', '{"password":[redacted]","page":2}'],
    ['"{\\"password\\":\\"x y\\",\\"page\\":2}"', '"{\\"password\\":[redacted]\\",\\"page\\":2}"'],
    ["secret = 'x y' page", "secret = [redacted]' page"],
    ['-----BEGIN PRIVATE KEY-----\nMC4CAQ\n-----END PRIVATE KEY-----\nrest', '[redacted]\nrest'],
    ['-----BEGIN RSA PRIVATE KEY-----\ncut off', '[redacted]'],
    ['https://ana:p@s3cr@t@h.example/x@y', 'https://ana:[redacted]@h.example/x@y'],
    ['postgres://ana@corp:p@ss@db/app', 'postgres://ana@corp:[redacted]@db/app'],
    ['https://Zq9xK2mP7wLt4vBn@host.example/x', 'https://[redacted]@host.example/x'],
    ['git+https://Zq9xK2mP7wLt4vBn@host.example', 'git+https://[redacted]@host.example'],
    ['api key: Zq9x', 'api key: [redacted]'],
    ['session id = Zq9x', 'session id = [redacted]'],
    ['signing_key=Zq9x', 'signing_key=[redacted]'],
    ['Cookie: session=Zq9x', 'Cookie: [redacted]'],
    ['Set-Cookie: sid=Zq9x; Path=/; HttpOnly', 'Set-Cookie: [redacted]'],
    ['{"cookie":"a=Zq9x; b=2","page":2}', '{"cookie":"[redacted]","page":2}'],
    ['pass=Zq9x&x=1', 'pass=[redacted]&x=1'],
    ['PGPASS=Zq9x', 'PGPASS=[redacted]'],
    ['{"pass": "Zq9x"}', '{"pass": [redacted]"}'],
    ['run --password Zq9x --page 2', 'run --password [redacted] --page 2'],
    ["run --db-pass 'Zq 9x' on", "run --db-pass [redacted]' on"],
    ['run --api-key Zq9x', 'run --api-key [redacted]'],
    ['AccountKey=Zq9x==;x', 'AccountKey=[redacted];x'],
    ['jwt: Zq9x', 'jwt: [redacted]'],
    // In prose, after what it is called.
    ['token Zq9xK2mP7 was refused', 'token [redacted] was refused'],
    ['the token is Zq9xK2mP7, says ana', 'the token is [redacted], says ana'],
    ['api key "Zq9xK2mP7"', 'api key "[redacted]"'],
    ['no secret `Zq9xK2mP7` here', 'no secret `[redacted]` here'],
    ['credentials (Zq9x/K2mP7==)', 'credentials ([redacted])'],
    ['accessToken Zq9xK2mP7', 'accessToken [redacted]'],
    ['the password is hunter2', 'the password is [redacted]'],
    ['PASSWORD hunter2!', 'PASSWORD [redacted]'],
    ['passcode 482913', 'passcode [redacted]'],
    ['wrong password "correct horse" for ana', 'wrong password [redacted]" for ana'],
    ['token => Zq9x', 'token => [redacted]'],
    ['token := Zq9x', 'token := [redacted]'],
    ['token == "Zq9x"', 'token == [redacted]"'],
    // Behind the name of a scheme.
    ['Authorization: Token Zq9x', 'Authorization: [redacted] [redacted]'],
    ['Authorization: Digest username="ana", response="Zq9x"; x', 'Authorization: [redacted] [redacted]"; x'],
    // In a query, and in the query of a URL in a query.
    ['https://h.example/x?key=Zq9x&page=2#top', 'https://h.example/x?key=[redacted]&page=2#top'],
    ['https://h.example/x?a=1&api_key=Zq9x', 'https://h.example/x?a=1&api_key=[redacted]'],
    ['https://h.example/x?X-Amz-Signature=Zq9x', 'https://h.example/x?X-Amz-Signature=[redacted]'],
    ['https://h.example/x?code=Zq9xK2mP7wLt4vBn', 'https://h.example/x?code=[redacted]'],
    ['"https://h.example/x?a=1\\u0026sig=Zq9x"', '"https://h.example/x?a=1\\u0026sig=[redacted]"'],
    ['to=https%3A%2F%2Fh.example%2F%3Fkey%3DZq9x', 'to=https%3A%2F%2Fh.example%2F%3Fkey%3D[redacted]'],
    ['to=https%3A%2F%2Fana%3AZq9x%40h.example', 'to=https%3A%2F%2Fana%3A[redacted]%40h.example'],
    // On a command line.
    ['["--password","Zq9x"]', '["--password",[redacted]"]'],
    ['{\\"args\\":[\\"--token\\",\\"Zq9x\\"]}', '{\\"args\\":[\\"--token\\",[redacted]\\"]}'],
    ['docker login -u ana -p Zq9x host', 'docker login -u ana -p [redacted] host'],
    ['docker login -p Zq9x -u ana', 'docker login -p [redacted] -u ana'],
    ['["login","-u","ana","-p","Zq9x"]', '["login","-u","ana","-p",[redacted]"]'],
    ['tool --user ana --on -p Zq9x', 'tool --user ana --on -p [redacted]'],
    ['mysql -uroot -pZq9x shop', 'mysql -uroot -p[redacted] shop'],
    ['sshpass -p Zq9x ssh host', 'sshpass -p [redacted] ssh host'],
    ['tool -p Zq9xK2mP7', 'tool -p [redacted]'],
    ['curl -u ana:Zq9x https://h.example', 'curl -u ana:[redacted] https://h.example'],
    ['curl --user=ana:Zq9x x', 'curl --user=ana:[redacted] x'],
    ['curl\t-u ana:Zq9x x', 'curl\t-u ana:[redacted] x'],
    ['run:\r\n-u ana:Zq9x', 'run:\r\n-u ana:[redacted]'],
    ['mysqldump\n-pZq9x', 'mysqldump\n-p[redacted]'],
    ['sshpass\v-p Zq9x host', 'sshpass\v-p [redacted] host'],
    ['x\f-p Zq9xK2mP7', 'x\f-p [redacted]'],
    // In JSON in a text the letter of an escape stands before it.
    ['{"run":"mysqldump\\n-pZq9x"}', '{"run":"mysqldump\\n-p[redacted]"}'],
    ['{"run":"a\\n-u ana:Zq9x"}', '{"run":"a\\n-u ana:[redacted]"}'],
    ['{"got":"a\\nghp_16C7e42F292c6912E7710c838347Ae178B4a"}', '{"got":"a\\n[redacted]"}'],
    ['{"got":"a\\nBearer Zq9xK2mP7"}', '{"got":"a\\nBearer [redacted]"}'],
    ['{"at":"\\nhttps://Zq9xK2mP7wLt4vBn@host.example"}', '{"at":"\\nhttps://[redacted]@host.example"}'],
    ['{"env":"A=b\\npass=Zq9x"}', '{"env":"A=b\\npass=[redacted]"}'],
    ['openssl -passin pass:Zq9x', 'openssl -passin pass:[redacted]'],
    ...['sk_live_', 'rk_test_', 'hf_', 'whsec_', 'xapp-', 'pypi-', 'shpat_', 'sbp_', 'dop_v1_', 'npm_'].map(
      (form): [string, string] => [`got ${form}Zq9xK2mP7wLt4vBnZq9xK2mP here`, 'got [redacted] here'],
    ),
    ['it said hunter2-correct-horse twice: hunter2-correct-horse', 'it said [redacted] twice: [redacted]'],
  ])('takes the secret out of %j', (text, clean) => {
    expect(redactor.text(text)).toBe(clean)
    expect(redactor.suspects(JSON.stringify({ reason: text }))).toBe(true)
  })

  it.each([
    'the rule policy[2] allows it',
    'docs://catalog/%D0%9E%D1%82%D1%87%D1%91%D1%82',
    'https://shop.example:8443/path?page=2',
    'mailto:ada@example.com',
    '4bf92f3577b34da6a3ce929d0e0e4736',
    'tests that pass: 12',
    'compass=north, bypass=on',
    'ssh://git@host.example/x',
    'https://host.example/@ana/x?to=a@b.example',
    'a cookie: the small one',
    'use --pass-through here',
    'see the task_type and half_live_ones',
    'the token budget of 4096 was exceeded',
    'token 1234 of 4096',
    'max tokens: 4096, total_tokens=12',
    `Unexpected token '<', "<html>" is not valid JSON`,
    'the password is wrong',
    'a password must have 12 characters',
    'the password expired 2026-11-30, the token 2026-11-29',
    'no secret named database',
    'the api key was not found',
    'sort by key, then by pin',
    'https://shop.example/?page=2&sort=key&code=404',
    'docs://catalog/key=value',
    'docker run -u 1000:1000 -p 8080:80 image',
    'docker run --user ana -p 127.0.0.1:8080:80 -p 443 image',
    'mkdir -p build/2026 && cp -p a.txt b.txt',
    'ssh -p 2222 host, mysql -P 3306',
    'pytest -p no:cacheprovider -u',
    'rsync -u host:/path .',
    'docs%3A%2F%2Fcatalog%3Apage%2F1',
  ])('leaves %j as it is', (text) => {
    expect(redactor.text(text)).toBe(text)
  })

  it('does work that grows with a hostile text, not with its square', () => {
    const time = (text: string): number => {
      const start = performance.now()
      redactor.text(text)
      redactor.suspects(JSON.stringify(text))
      return performance.now() - start
    }
    for (const piece of [
      '://',
      'a-',
      'eyJ-',
      'a://:',
      'token ',
      '-----BEGIN ',
      'bearer  ',
      'sk-',
      'password="',
      'eyJaaaaaaaaa.',
      'cookie:a=b;',
      'cookie: ',
      '--a-',
      ' -pass',
      'https://a',
      'https://a@:',
      'a://b:c@',
      'token is ',
      'password a',
      'token a1',
      'password "',
      '-u a ',
      '-u a -p ',
      'mysql ',
      'sshpass -p',
      'authorization: token a=',
      'authorization: digest a="b", ',
      '%3a%2f%2f',
      '&key',
      '&a-',
      '-p a',
      '","',
    ]) {
      const small = Math.min(...[1, 2, 3].map(() => time(piece.repeat(20_000 / piece.length))))
      const large = Math.min(...[1, 2].map(() => time(piece.repeat(200_000 / piece.length))))
      // Ten times the text; a square would take a hundred times as long.
      expect(large / Math.max(small, 4), piece).toBeLessThan(50)
    }
  })
})
