import { describe, expect, it } from 'vitest'
import { findKnownBug } from './known-bug.ts'
import { readTestRun } from './test-run.ts'

const tapOutput = `TAP version 13
# Subtest: adds
ok 1 - adds
# Subtest: counts
not ok 2 - counts
  ---
  location: '/project/test/cart.test.js:14:1'
  expected: 4.2
  actual: 3
  ...
1..2
# tests 2
# suites 0
# pass 1
# fail 1
`
const specOutput = `✔ adds (0.9ms)
✖ counts (1.1ms)
ℹ tests 2
ℹ pass 1
ℹ fail 1

✖ failing tests:

test at test/cart.test.js:14:1
✖ counts (1.1ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
    actual: 3,
    expected: 4.2,
`

describe('the output of node --test', () => {
  it.each([
    ['TAP', tapOutput, '/project/test/cart.test.js'],
    ['spec', specOutput, 'test/cart.test.js'],
  ])('is recognized in the %s reporter', (_name, output, file) => {
    expect(readTestRun(`Exit code 1\n${output}`)).toEqual({
      total: 2,
      passed: 1,
      failed: 1,
      failing: [{ name: 'counts', file }],
      expected: '4.2',
      actual: '3',
    })
  })

  it('is distinguished from other output', () => {
    expect(readTestRun('sh: node: command not found')).toBeNull()
  })
})

describe('a known bug', () => {
  it.each([
    [
      '(sum, item) => sum + item.price, 0) // quantity',
      '(sum, item) => sum + item.price * item.quantity, 0) // quantity',
    ],
    ['return Math.floor(total * 100) / 100', 'return Math.round(total * 100) / 100'],
    ['for (let i = 0; i <= items.length; i += 1) {', 'for (let i = 0; i < items.length; i += 1) {'],
  ])('is found as the exact line: %s', (wrong, right) => {
    expect(findKnownBug(`// first\n  ${wrong}\n`)).toMatchObject({
      oldLine: `  ${wrong}`,
      newLine: `  ${right}`,
      line: 2,
    })
  })

  it('is not found in correct code, nor where the line is not unique', () => {
    expect(findKnownBug('sum + item.price * item.quantity')).toBeNull()
    expect(findKnownBug('sum + item.price')).toBeNull()
    expect(findKnownBug('i <= a.length\ni <= a.length')).toBeNull()
  })
})
