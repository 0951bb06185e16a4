import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { shellWord } from './command-line.ts'

it.each(['agents/coder.yaml', 'my agents', "it's here", '$(date) `id` "x"', '', '~/a', 'a\nb'])(
  'a shell reads %j as one word',
  (text) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text)
  },
)

it('leaves a plain path as it is', () => {
  expect(shellWord('agents/coder.yaml')).toBe('agents/coder.yaml')
})
