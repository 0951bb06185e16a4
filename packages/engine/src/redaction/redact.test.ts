import { describe, expect, it } from 'vitest'
import { blankOut, createRedactor } from './redact.ts'

// Made up, and assembled here so that secret scanners do not report this file.
const join = (...parts: string[]) => parts.join('')
const keys = {
  anthropic: join('sk-', 'ant-', 'api03-madeup0123456789-_ABCDEF'),
  openai: join('sk-', 'a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4e5f6a1b2'),
  openaiProject: join('sk-', 'proj-', 'abcDEF0123456789_-abcDEF'),
  awsId: join('AKIA', 'ABCDEFGHIJKLMNOP'),
  github: join('ghp_', 'abcdefghijklmnopqrstuvwxyz0123456789'),
  githubFine: join('github_', 'pat_', 'abcdefghijklmnopqrstuvwxyz0123456789_ab'),
  gitlab: join('glpat-', 'abcdefghij0123456789'),
  slack: join('xoxb-', '1234567890-abcdefghij'),
  google: join('AIza', 'SyA0123456789abcdefghijklmnopqrstuv'),
  npm: join('npm_', 'abcdefghijklmnopqrstuvwxyz0123456789'),
  stripe: join('rk_', 'live_', 'abcdefghij0123456789'),
  gateway: join('qd-', 'session-', 'abcdefghijklmnopqrstuvwxyz0123456789_-ABCDE'),
  jwt: join('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxMjM0NTY3ODkwIn0', '.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P'),
  pem: join('-----BEGIN RSA PRIV', 'ATE KEY-----\nMIIEow\nabc\n-----END RSA PRIV', 'ATE KEY-----'),
}

describe('createRedactor', () => {
  const redactor = createRedactor(['correct horse battery', 'tab\t"quoted" value', 'short'])

  it.each(Object.entries(keys))('removes a key of the shape %s anywhere in a text', (_, key) => {
    expect(redactor.text(key)).toBe('[redacted]')
    expect(redactor.text(`before ${key} after`)).toBe('before [redacted] after')
    expect(redactor.text(`x="${key}"`)).toBe('x="[redacted]"')
    const json = JSON.stringify({ output: `first\n${key}\nlast` })
    expect(JSON.parse(redactor.text(json))).toEqual({ output: 'first\n[redacted]\nlast' })
    const twice = JSON.stringify({ body: json })
    expect(JSON.parse(JSON.parse(redactor.text(twice)).body)).toEqual({ output: 'first\n[redacted]\nlast' })
  })

  it('finds a key that JSON escapes have broken up', () => {
    const spelled = [...keys.anthropic].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
    expect(redactor.text(`{"key":"${spelled}"}`)).toBe('{"key":"[redacted]"}')
    expect(redactor.text(keys.anthropic.replaceAll('-', '\\u002d'))).toBe('[redacted]')
  })

  it('removes declared values as they are, escaped, and URL-encoded', () => {
    expect(redactor.text('the correct horse battery staple')).toBe('the [redacted] staple')
    expect(redactor.text('?q=correct%20horse%20battery')).toBe('?q=[redacted]')
    expect(redactor.text(JSON.stringify('a tab\t"quoted" value'))).toBe('"a [redacted]"')
    expect(redactor.text(JSON.stringify(JSON.stringify('a tab\t"quoted" value')))).toBe('"\\"a [redacted]\\""')
  })

  it('keeps declared values that are too short to differ from words', () => {
    expect(redactor.text('in short')).toBe('in short')
  })

  it.each([
    ['Authorization: Bearer abcdefgh', 'Authorization: [redacted]'],
    ['authorization: Basic dXNlcjpwYXNz', 'authorization: [redacted]'],
    ['{"authorization":"Bearer abc.def-123"}', '{"authorization":"[redacted]"}'],
    ['{\\"x-api-key\\":\\"made-up-key\\"}', '{\\"x-api-key\\":\\"[redacted]\\"}'],
    ['X-API-Key: made-up-key', 'X-API-Key: [redacted]'],
    ['Cookie: session=abcd1234', 'Cookie: [redacted]'],
    [`AWS_SECRET_ACCESS_KEY=${'aB3/'.repeat(10)}`, 'AWS_SECRET_ACCESS_KEY=[redacted]'],
    ['curl -H "Authorization: token abc123def" https://x.test', 'curl -H "Authorization: [redacted]" https://x.test'],
    ['sent Bearer a1b2c3d4e5 along', 'sent Bearer [redacted] along'],
    ['postgres://app:hunter22@db.test/x', 'postgres://app:[redacted]@db.test/x'],
  ])('removes the credential from %s', (text, expected) => {
    expect(redactor.text(text)).toBe(expected)
  })

  it.each([
    'the bearer of bad news',
    'risk-management-and-compliance-for-everyone-2024',
    'const key = process.env.ANTHROPIC_API_KEY',
    'a task-oriented-dialogue-system-with-many-parts',
    'see https://example.test:8080/path?x=1',
    'export function authorize(request: Request): boolean',
    '/home/app/src/eyJ.ts',
    'commit 9fceb02d0ae598e95dc970b74767f19372d61af8',
  ])('keeps ordinary text: %s', (text) => {
    expect(redactor.text(text)).toBe(text)
  })

  it('removes a truncated private key up to the end of the text', () => {
    expect(redactor.text(`log ${keys.pem.slice(0, 45)}`)).toBe('log [redacted]')
  })

  it('redacts strings, keys and header fields of JSON values', () => {
    const value = {
      list: [keys.github, 1, null, true, { deep: `x ${keys.awsId}` }],
      [keys.anthropic]: 'as a key',
      headers: { Authorization: 'anything', 'x-api-key': 'k', accept: 'text/plain' },
    }
    expect(redactor.value(value)).toEqual({
      list: ['[redacted]', 1, null, true, { deep: 'x [redacted]' }],
      '[redacted]': 'as a key',
      headers: { Authorization: '[redacted]', 'x-api-key': '[redacted]', accept: 'text/plain' },
    })
  })

  it('removes values that are nested too deeply', () => {
    let value: unknown = keys.anthropic
    for (let depth = 0; depth < 5000; depth += 1) value = { a: value }
    let text = ''
    let inner: unknown = redactor.value(value)
    while (typeof inner === 'object' && inner !== null) inner = Object.values(inner)[0]
    text += String(inner)
    expect(text).toBe('[redacted]')
  })

  it('handles a secret that is part of its own placeholder', () => {
    expect(createRedactor(['redacted']).text('redacted')).toBe('redacted')
  })

  it('is idempotent for any combination of pieces', () => {
    const pieces = [
      ...Object.values(keys),
      'Authorization: ',
      'Bearer ',
      'x-api-key=',
      '://user:',
      '@host',
      'correct horse battery',
      '\\u0061',
      '\\n',
      '\\\\',
      '"',
      ' ',
      '[redacted]',
      '.eyJ',
      'sk-',
      '-----BEGIN ',
      'word',
      'cookie: a=',
    ]
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648
      return seed % below
    }
    for (let round = 0; round < 3000; round += 1) {
      const text = Array.from({ length: 1 + random(8) }, () => pieces[random(pieces.length)]).join('')
      const once = redactor.text(text)
      expect(redactor.text(once), JSON.stringify(text)).toBe(once)
      for (const key of [keys.anthropic, keys.github, keys.awsId]) expect(once).not.toContain(key)
    }
  })

  const million = (piece: string) => piece.repeat(Math.ceil(1_000_000 / piece.length))
  it.each([
    'eyJ',
    '.eyJ',
    'eyJ.',
    'eyJa.eyJ.',
    'sk-',
    'sk-ant-',
    'AKIA',
    'bearer ',
    'bearer\t\t',
    'authorization:',
    'authorization: "',
    'x-api-key=\\\\\\\\"',
    'cookie: a=',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN A ',
    '-----END ',
    '://a:',
    '://a:b',
    '\\',
    '\\\\"',
    '\\u0073\\u006b-',
    'correct horse ',
    ' ',
    'a',
    `${keys.anthropic} `,
  ])('takes time in proportion to a hostile text made of %j', (piece) => {
    // CPU time, not wall time: the load of the machine does not count.
    const time = (text: string) => {
      const start = process.cpuUsage()
      redactor.text(text)
      const { user, system } = process.cpuUsage(start)
      return (user + system) / 1000
    }
    const text = million(piece)
    const small = Math.min(...[1, 2, 3, 4].map(() => time(text.slice(0, 62_500))))
    // Sixteen times the text: a quadratic search would take 256 times as long. Garbage collection needs the retries.
    const isProportional = () => time(text) < Math.max(small, 4) * 16 * 5
    expect([1, 2, 3, 4, 5].some(isProportional)).toBe(true)
  })
})

describe('blankOut', () => {
  const blank = blankOut([
    ['TOKEN', 'made "up"\ntoken'],
    ['LONGER', 'made-up-token-and-more'],
    ['SHORTER', 'made-up-token'],
    ['WORD', 'made'],
  ])

  it('replaces each value with its name in every spelling, and keeps ordinary words', () => {
    expect(blank('with made-up-token-and-more, made-up-token')).toBe('with [LONGER], [SHORTER]')
    const inJson = JSON.stringify({ text: JSON.stringify(['made "up"\ntoken']) })
    expect(JSON.parse(JSON.parse(inJson).text)).toEqual(['made "up"\ntoken'])
    expect(JSON.parse(JSON.parse(blank(inJson)).text)).toEqual(['[TOKEN]'])
    expect(blank(encodeURIComponent('made "up"\ntoken'))).toBe('[TOKEN]')
    expect(blank('it was made here')).toBe('it was made here')
  })
})
