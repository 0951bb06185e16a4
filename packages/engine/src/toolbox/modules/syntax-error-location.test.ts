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

it('where a module breaks is looked for in files that may have gone, and told once it is found', async () => {
  const { files, project } = broken()
  const read = [...files, join(project, 'gone.mjs')]
  // A slow machine may take its time here.
  const place = await withLocation(message, { files: read, project, timeoutMs: 600_000 })
  expect(place).toBe("SyntaxError: broken.mjs:3:1: Unexpected token '}'")
})

it('whoever waits for why a module does not load waits no longer for where it breaks', async () => {
  const read = broken()
  expect(await withLocation(message, { ...read, timeoutMs: 1 })).toBe(message)
  const given = new AbortController()
  const waiting = withLocation(message, { ...read, signal: given.signal })
  given.abort()
  expect(await waiting).toBe(message)
})
