import { expect, it } from 'vitest'
import { isBelow, isWithin } from './path-inside.ts'

const folder = '/srv/project'

it.each(['/srv/project/a', '/srv/project/a/b', '/srv/project/..notes', '/srv/project/...', '/srv/project/a/../b'])(
  '%s is below the folder',
  (path) => {
    expect(isBelow({ path, folder })).toBe(true)
    expect(isWithin({ path, folder })).toBe(true)
  },
)

it.each(['/srv/project', '/srv/project/', '/srv/project/a/..'])(
  '%s is the folder itself: within it, not below it',
  (path) => {
    expect(isBelow({ path, folder })).toBe(false)
    expect(isWithin({ path, folder })).toBe(true)
  },
)

it.each(['/', '/srv', '/srv/other', '/srv/project-2', '/srv/..project', '/srv/project/../other', '/project'])(
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
