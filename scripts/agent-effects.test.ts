import { describe, expect, it } from 'vitest'
import { proveFields, titleForReaders } from './agent-effects.mjs'
import { testTitles } from './test-titles.mjs'

const fields = [
  { path: 'a.b', effect: 'Does something.' },
  { path: 'c', effect: 'Does something else.' },
]
const tests = new Map([
  ['one.test.ts', ['a.b: does it', 'the other']],
  ['two.test.ts', ['c and a.b: both']],
])

describe('the table of fields and tests', () => {
  it('finds a test by its title, and uses named ones', () => {
    expect(proveFields(fields, { c: ['one.test.ts', 'the other'] }, tests)).toEqual({
      rows: [
        { ...fields[0], file: 'one.test.ts', title: 'a.b: does it' },
        { ...fields[1], file: 'one.test.ts', title: 'the other' },
      ],
      problems: [],
    })
  })

  it.each([
    ['a field without a test', {}, 'no test shows what c does'],
    ['a test that is not there', { c: ['one.test.ts', 'gone'] }, 'c: one.test.ts has no test called "gone"'],
    [
      'a file that is not there',
      { c: ['none.test.ts', 'the other'] },
      'c: none.test.ts has no test called "the other"',
    ],
    [
      'a proof of a field that is gone',
      { c: ['one.test.ts', 'the other'], d: ['one.test.ts', 'the other'] },
      'there is no field d',
    ],
  ])('refuses %s', (_, named, problem) => {
    expect(proveFields(fields, named, tests).problems).toEqual([problem])
  })

  it('refuses a field without a description', () => {
    const silent = [{ path: 'a.b', effect: '' }]
    expect(proveFields(silent, {}, tests).problems).toEqual(['a.b has no description of its effect'])
  })
})

it.each([
  ['comes from the first of %j: %s', 'comes from the first of …'],
  ['%s matches a rule with any of its names', '… matches a rule with any of its names'],
  ['$agent calls its provider', '… calls its provider'],
  ['hooks.matcher: %j matches %s: %s', 'hooks.matcher: … matches …'],
  ['a.b: does it', 'a.b: does it'],
])('the title "%s" is shown as "%s"', (title, shown) => {
  expect(titleForReaders(title)).toBe(shown)
})

it('titles include those of tests, groups, and rows of tables', () => {
  const code = `
const rows = [['first row', 1], ['second row', 2]] as const
describe('a group', () => {
  it('a test', async () => { expect(call('not a title')).toBe(1) })
  it.each(rows)('from a table: %s', () => {})
  it.each<[string]>([['inline row']])('typed', () => {})
})
test.skipIf(true)('another', () => {})
`
  expect(testTitles('x.test.ts', code)).toEqual(
    expect.arrayContaining([
      'first row',
      'second row',
      'a group',
      'a test',
      'from a table: %s',
      'inline row',
      'typed',
      'another',
    ]),
  )
  expect(testTitles('x.test.ts', code)).not.toContain('not a title')
})

it.each([
  ["const list = ['no row', 1]", 'no row'],
  ["it('a', () => { expect(f(['no row'])).toBe(1) })", 'no row'],
  ["it.skip('left out', () => {})", 'left out'],
  ["it.todo('left out')", 'left out'],
  ["describe.skip('left out', () => { it('inside', () => {}) })", 'inside'],
  ["it.skip.each([['a row']])('left out: %s', () => {})", 'a row'],
])('%s has no test called "%s"', (code, title) => {
  expect(testTitles('x.test.ts', code)).not.toContain(title)
})
