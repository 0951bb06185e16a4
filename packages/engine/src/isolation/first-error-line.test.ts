import { expect, it } from 'vitest'
import { firstErrorLine } from './first-error-line.ts'

const stack = `node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module '/project/nowhere.mjs'
    at Module._load (node:internal/modules/cjs/loader:1038:27) {
  code: 'MODULE_NOT_FOUND'
}

Node.js v20.20.2`

it.each([
  [stack, "Error: Cannot find module '/project/nowhere.mjs'"],
  ['starting\nTypeError [ERR_X]: no\n    at x', 'TypeError [ERR_X]: no'],
  ['Traceback (most recent call last):\n  File "x"\nValueError: bad', 'ValueError: bad'],
  ['one\n  the last words  \n\n', 'the last words'],
  ['', ''],
  ['x'.repeat(400), `${'x'.repeat(299)}…`],
])('finds the reason in %j', (written, line) => {
  expect(firstErrorLine(written)).toBe(line)
})
