import { expect, it } from 'vitest'
import { isBelow, isWithin } from './path-inside.ts'

const folder = '/work/project'

it.each(['/work/project/a', '/work/project/a/b', '/work/project/..notes', '/work/project/...', '/work/project/a/../b'])(
  '%s is below the folder',
  (path) => {
    expect(isBelow({ path, folder })).toBe(true)
    expect(isWithin({ path, folder })).toBe(true)
  },
)

it.each(['/work/project', '/work/project/', '/work/project/a/..'])(
  '%s is the folder itself: within it, not below it',
  (path) => {
    expect(isBelow({ path, folder })).toBe(false)
    expect(isWithin({ path, folder })).toBe(true)
  },
)

it.each(['/', '/work', '/work/other', '/work/project-2', '/work/..project', '/work/project/../other', '/project'])(
  '%s is outside the folder',
  (path) => {
    expect(isBelow({ path, folder })).toBe(false)
    expect(isWithin({ path, folder })).toBe(false)
  },
)

it('takes every path as inside the root of the disk, and only the root itself as not below it', () => {
  expect(isBelow({ path: '/etc', folder: '/' })).toBe(true)
  expect(isWithin({ path: '/', folder: '/' })).toBe(true)
  expect(isBelow({ path: '/', folder: '/' })).toBe(false)
})
