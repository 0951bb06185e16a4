import { expect, it } from 'vitest'
import { runSteps } from './run-steps.mjs'
import { selectSteps } from './select-steps.mjs'

const step = (key: string, passed: number, failed: number) => ({
  key,
  title: `the ${key}`,
  run: async () => ({ passed, failed, output: `output of ${key}` }),
})

async function report(...steps: Parameters<typeof runSteps>[0]) {
  const lines: string[] = []
  const code = await runSteps(steps, (line) => lines.push(line))
  return { code, lines, last: lines.at(-1) }
}

it('ends with the sum of all steps on its own line', async () => {
  expect(await report(step('lint', 1, 0), step('unit', 41, 0))).toMatchObject({ code: 0, last: '42 passed, 0 failed' })
})

it('continues after a failed step and shows its output', async () => {
  const { code, lines, last } = await report(step('lint', 0, 1), step('unit', 41, 0))
  expect({ code, last }).toEqual({ code: 1, last: '41 passed, 1 failed' })
  expect(lines).toContain('output of lint')
  expect(lines).not.toContain('output of unit')
})

it('names the skipped tests before the sum', async () => {
  const unit = {
    ...step('unit', 1, 0),
    run: async () => ({ passed: 1, failed: 0, skipped: ['a: one', 'b: two'], output: '' }),
  }
  const { lines } = await report(unit, step('e2e', 1, 0))
  expect(lines.slice(-3)).toEqual(['skipped: a: one', 'skipped: b: two', '2 passed, 0 failed'])
})

it('stops when the checkers cannot be installed', async () => {
  expect(await report(step('tools', 0, 1), step('unit', 41, 0))).toMatchObject({ code: 1, last: '0 passed, 1 failed' })
})

it('runs neighbouring steps of one group concurrently, and the next step after them', async () => {
  const begun: string[] = []
  let release = () => {}
  const bothBegun = new Promise<void>((resolve) => {
    release = resolve
  })
  const member = (key: string) => ({
    ...step(key, 1, 0),
    group: 'static',
    async run() {
      begun.push(key)
      if (begun.length === 2) release()
      await bothBegun
      return { passed: 1, failed: 0, output: '' }
    },
  })
  const after = { ...step('unit', 1, 0), run: async () => ({ passed: begun.push('unit'), failed: 0, output: '' }) }
  expect(await report(member('lint'), member('types'), after)).toMatchObject({ code: 0, last: '5 passed, 0 failed' })
  expect(begun).toEqual(['lint', 'types', 'unit'])
})

it('counts a step that throws as a failure', async () => {
  const broken = { key: 'unit', title: 'broken', run: () => Promise.reject(new Error('no such tool')) }
  const { code, lines, last } = await report(broken)
  expect({ code, last }).toEqual({ code: 1, last: '0 passed, 1 failed' })
  expect(lines.join('\n')).toContain('no such tool')
})

it('fails when no step ran', async () => {
  expect(await report()).toMatchObject({ code: 1, last: '0 passed, 0 failed' })
})

it('runs only the named steps and the tools they need', () => {
  const steps = [step('tools', 1, 0), step('lint', 1, 0), step('unit', 1, 0)]
  expect(selectSteps(steps, ['--only', 'unit']).map(({ key }) => key)).toEqual(['tools', 'unit'])
})

it('refuses an unknown step', () => {
  expect(() => selectSteps([step('unit', 1, 0)], ['--only', 'unti'])).toThrow('--only unit')
  expect(() => selectSteps([step('unit', 1, 0)], ['unit'])).toThrow('--only unit')
})
