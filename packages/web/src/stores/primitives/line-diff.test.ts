import { expect, it } from 'vitest'
import { diffLines } from './line-diff.ts'

const drawn = (before: string, after: string, first: number | null = null) =>
  diffLines(before, after, first).lines.map((line) => `${line.number ?? ''}${line.sign}${line.text}`)

it('keeps common lines and marks changed lines', () => {
  expect(drawn('a\nb\nc', 'a\nB\nB2\nc')).toEqual([' a', '-b', '+B', '+B2', ' c'])
  expect(diffLines('a\nb\nc', 'a\nB\nB2\nc')).toMatchObject({ added: 2, removed: 1 })
})

it('numbers removed lines as in the old file and all others as in the new file', () => {
  expect(drawn('a\nb\nc', 'a\nx\ny\nc', 10)).toEqual(['10 a', '11-b', '11+x', '12+y', '13 c'])
})

it('shows a new file as added and an emptied file as removed', () => {
  expect(drawn('', 'a\nb\n')).toEqual(['+a', '+b'])
  expect(drawn('a\nb\n', '')).toEqual(['-a', '-b'])
})

it('does not compare two huge texts line by line', () => {
  const big = (mark: string) => Array.from({ length: 3000 }, (_, line) => `${mark}${line}`).join('\n')
  expect(diffLines(big('a'), big('b'))).toMatchObject({ added: 3000, removed: 3000 })
})
