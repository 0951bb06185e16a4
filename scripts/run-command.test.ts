import { expect, it } from 'vitest'
import { runCommand } from './run-command.mjs'

const node = (script: string) => runCommand(process.execPath, ['--eval', script], { cwd: process.cwd() })

it('returns the exit code and all output', async () => {
  expect(await node(`console.log('out'); console.error('err'); process.exitCode = 3`)).toEqual({
    code: 3,
    output: expect.stringMatching(/out\s*err|err\s*out/),
  })
})

it('reports a missing command as a failure', async () => {
  const { code, output } = await runCommand('no-such-command-anywhere', [], { cwd: process.cwd() })
  expect(code).not.toBe(0)
  expect(output).toContain('no-such-command-anywhere')
})

it('reports a killed command as a failure', async () => {
  expect(await node(`process.kill(process.pid, 'SIGKILL')`)).toMatchObject({ code: 1 })
})

it('requests output without colors', async () => {
  expect(await node(`console.log(process.env.NO_COLOR, process.env.FORCE_COLOR)`)).toMatchObject({
    output: '1 undefined\n',
  })
})
