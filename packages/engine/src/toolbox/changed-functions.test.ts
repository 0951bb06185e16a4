import { existsSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { functionTool, openFunction, openToolboxHarness } from './testing/toolbox-harness.fixture.ts'

const name = 'mcp__tools__lookup'

describe('a function whose module changes', () => {
  const later = (file: string) => utimesSync(file, new Date(), new Date(Date.now() + 5_000))
  const first = `import { word } from './word.ts'\nexport const lookup = () => word`

  it('is reloaded for the next call while files are watched, with its imports and its new schema', async () => {
    const files = { 'lookup.ts': first, 'word.ts': `export const word = 'one'` }
    const { call, write, toolbox, project } = await openFunction(files, { isWatching: true })
    let changes = 0
    toolbox.onChange(() => (changes += 1))
    expect((await call(name)).output).toBe('one')
    write('word.ts', `export const word = 'two'`)
    later(join(project, 'word.ts'))
    expect((await call(name)).output).toBe('two')
    write(
      'lookup.ts',
      `export const parameters = { type: 'object', properties: { a: {} } }\nexport const lookup = () => 'three'`,
    )
    later(join(project, 'lookup.ts'))
    await expect.poll(() => changes).toBe(1)
    expect(toolbox.list()[0]?.inputSchema).toMatchObject({ properties: { a: {} } })
    expect((await call(name)).output).toBe('three')
  })

  it('reports the position of an error instead of running the old version, and works again when fixed', async () => {
    const files = { 'lookup.ts': first, 'word.ts': `export const word = 'one'` }
    const { call, write, project } = await openFunction(files, { isWatching: true })
    expect((await call(name)).output).toBe('one')
    write('word.ts', `export const word = 'one\n`)
    later(join(project, 'word.ts'))
    expect(await call(name)).toEqual({ output: expect.stringContaining('word.ts:1:'), isError: true })
    write('word.ts', `export const word = 'mended'`)
    expect((await call(name)).output).toBe('mended')
  })

  it('abandons a module that blocks while loading when it is saved again: waiting calls fail or get the new one', async () => {
    const blocking = `import { writeFileSync } from 'node:fs'\nwriteFileSync(new URL('begun', import.meta.url), '')\nfor (;;);`
    const harness = await openToolboxHarness({
      files: { 'lookup.mjs': `export const lookup = () => 'one'` },
      isWatching: true,
      tools: (at) => [functionTool(join(at, 'lookup.mjs'), { timeoutMs: 600_000 })],
    })
    const { call, write, project } = harness
    expect((await call(name)).output).toBe('one')
    write('lookup.mjs', blocking)
    later(join(project, 'lookup.mjs'))
    const hung = call(name)
    await expect.poll(() => existsSync(join(project, 'begun'))).toBe(true)
    write('lookup.mjs', `export const lookup = () => 'mended'`)
    expect(await hung).toEqual({
      output: expect.stringContaining('saved again while it was being loaded'),
      isError: true,
    })
    expect((await call(name)).output).toBe('mended')
  })

  it('stays unchanged while files are not watched', async () => {
    const { call, write, project } = await openFunction({ 'lookup.ts': `export const lookup = () => 'one'` })
    expect((await call(name)).output).toBe('one')
    write('lookup.ts', `export const lookup = () => 'two'`)
    later(join(project, 'lookup.ts'))
    expect((await call(name)).output).toBe('one')
  })
})
