import { expect, it } from 'vitest'
import { createGrowingText } from './growing-text.ts'
import { createRedactor } from './redact.ts'

// Made up, and assembled here so that secret scanners do not report this file.
const join = (...parts: string[]) => parts.join('')
const anthropic = join('sk-', 'ant-', 'api03-madeup0123456789-_ABCDEF')
const pem = join('-----BEGIN RSA PRIV', 'ATE KEY-----\nMIIEow\nabc def\n-----END RSA PRIV', 'ATE KEY-----')
const escaped = (text: string) =>
  [...text].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
const declared = 'correct horse\nbattery staple'

const ingredients = [
  ...[
    'word ',
    'and another ',
    'comma, ',
    '\n',
    '\n\n',
    '  ',
    'a-b_c/d ',
    'https://example.test/x ',
    '"quoted" ',
    '\\ ',
    '\\n',
  ],
  ...[
    anthropic,
    `${anthropic} `,
    escaped(anthropic),
    escaped(escaped('sk-')),
    declared,
    escaped(declared),
    `${declared}. `,
  ],
  ...['correct horse\n', 'battery staple', JSON.stringify(declared), encodeURIComponent(declared)],
  ...[
    'authorization : ',
    'Authorization: Bearer ',
    'bearer   \t ',
    'a1b2c3d4e5 ',
    'x-api-key = ',
    'cookie: a=',
    'secret1 ',
  ],
  ...[
    join('AKIA', 'ABCDEFGHIJKLMNOP'),
    '://user:pass@host ',
    '.eyJ',
    'eyJhbGciOiJIUzI1NiJ9',
    '-----BEGIN ',
    '-----END x-----',
  ],
  ...['basic ', 'token ', '[redacted]', '-----BEGIN CERTIFICATE-----\nabc\n'],
  'plain words that go on for quite a while so that something can be settled, and so on, again and again, ',
]

/** This many of them at the start are ordinary words. */
const plain = 6

function createRandom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1103515245 + 12345) % 2147483648
    return Math.floor((state / 2147483648) * below)
  }
}

it('equals the redacted whole after each piece, wherever the pieces end', () => {
  const redactor = createRedactor([declared])
  const random = createRandom(11)
  for (let round = 0; round < 120; round += 1) {
    const parts = Array.from({ length: 4 + random(30) }, () => {
      const isPlain = round % 2 === 0 && random(6) > 0
      return ingredients[random(isPlain ? plain : ingredients.length)] ?? ''
    })
    if (round % 20 === 0) parts.splice(random(parts.length), 0, pem)
    const whole = parts.join('')
    const growing = redactor.growing()
    const size = 1 + random(40)
    let shown = ''
    for (let at = 0; at < whole.length; ) {
      const piece = whole.slice(at, at + 1 + random(size))
      at += piece.length
      const isAdded = growing.add(piece)
      const expected = redactor.text(whole.slice(0, at))
      expect(growing.text()).toBe(expected)
      expect(isAdded).toBe(expected === shown + piece)
      shown = expected
    }
  }
})

it('removes a secret that spans pieces, after any length of text', () => {
  const redactor = createRedactor([declared])
  for (const secret of [anthropic, declared, escaped(declared), `Authorization: Bearer x ${pem}`, pem]) {
    for (const before of ['a '.repeat(2000), 'line of text\n'.repeat(300), 'x'.repeat(900), '']) {
      const growing = redactor.growing()
      for (const char of before + secret) growing.add(char)
      expect(growing.text()).toBe(redactor.text(before + secret))
      expect(growing.text()).toContain('[redacted]')
    }
  }
})

it('removes a private key whose first line has many words', () => {
  const redactor = createRedactor([])
  const key = join('-----BEGIN ', `${escaped('A')} `.repeat(18), 'PRIV', 'ATE KEY-----\nMIIEow')
  for (let length = 0; length < 320; length += 8) {
    const growing = redactor.growing()
    for (const char of 'so it is '.repeat(100).slice(0, length) + key) growing.add(char)
    expect(growing.text()).not.toContain('MIIEow')
  }
})

it('checks the whole text again when another secret becomes known', () => {
  let secrets: readonly string[] = []
  const growing = createRedactor(() => secrets).growing()
  for (const char of `told early: open sesame ${'and so on '.repeat(200)}`) growing.add(char)
  expect(growing.text()).toContain('open sesame')
  secrets = ['open sesame']
  expect(growing.add('.')).toBe(false)
  expect(growing.text()).toContain('told early: [redacted] and so on ')
  expect(growing.text().endsWith('and so on .')).toBe(true)
})

it('checks only the end of a long text with each piece', () => {
  let looked = 0
  const growing = createGrowingText({
    redact(text) {
      looked += text.length
      return text
    },
    secrets: () => ({ known: null, longest: 20 }),
  })
  for (let piece = 0; piece < 5000; piece += 1) growing.add('piece of text ')
  expect(looked / 5000).toBeLessThan(500)
})
