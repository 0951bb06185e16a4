import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { withLocation } from './syntax-error-location.ts'

const message = "SyntaxError: Unexpected token '}'"

function broken() {
  const project = mkdtempSync(join(tmpdir(), 'quarterdeck-place-'))
  onTestFinished(() => rmSync(project, { recursive: true }))
  const file = join(project, 'broken.mjs')
  writeFileSync(file, 'export const f = () => {\n  return 1 +\n}\n')
  return { files: [file], project }
}

it('finds the position of a syntax error, even if files have been deleted, and reports it once', async () => {
  const { files, project } = broken()
  const read = [...files, join(project, 'gone.mjs')]
  // Generous, for slow machines.
  const located = await withLocation(message, { files: read, project, timeoutMs: 600_000 })
  expect(located).toBe("SyntaxError: broken.mjs:3:1: Unexpected token '}'")
})

it('does not wait longer than its limit for the position', async () => {
  const read = broken()
  expect(await withLocation(message, { ...read, timeoutMs: 1 })).toBe(message)
  const given = new AbortController()
  const waiting = withLocation(message, { ...read, signal: given.signal })
  given.abort()
  expect(await waiting).toBe(message)
})
