import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkLinks, findBrokenLinks } from './check-links.mjs'

const paths = ['README.md', 'docs/guide.md', 'docs/pictures/used.png', 'docs/pictures/unused.png', 'src/run.ts']

const problems = (text: string) =>
  findBrokenLinks(
    [
      { path: 'README.md', text: '![used](docs/pictures/used.png)\n![unused](docs/pictures/unused.png)' },
      { path: 'docs/guide.md', text },
    ],
    paths,
  )

it('accepts links to files, folders, headings and other sites', () => {
  const text = [
    '# `kill -9`, and *then*',
    '## Twice',
    '## Twice',
    '[up](../README.md) [folder](../src) [code](../src/run.ts#L3) [site](https://example.org/x)',
    '[here](#kill--9-and-then) [again](#twice-1)',
    '`[not](a-link)`',
    '```\n[nor](this)\n# Nor this\n```',
  ]
  expect(problems(text.join('\n'))).toEqual([])
})

it('reports a file and a heading that do not exist, with their line', () => {
  expect(problems('# One\n[gone](gone.md)\n[two](#two)\n[three](../README.md#three)')).toEqual([
    'docs/guide.md:2: gone.md does not exist',
    'docs/guide.md:3: #two: no such heading',
    'docs/guide.md:4: ../README.md#three: no such heading',
  ])
})

it('does not take a heading inside a code block as a target', () => {
  expect(problems('```\n# Code\n```\n[code](#code)')).toEqual(['docs/guide.md:4: #code: no such heading'])
})

it('reports a picture that no page uses', () => {
  expect(findBrokenLinks([{ path: 'README.md', text: '![used](docs/pictures/used.png)' }], paths)).toEqual([
    'docs/pictures/unused.png is not used by any page',
  ])
})

it('fails if Git cannot list the files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'no-repository-'))
  await expect(checkLinks(folder)).rejects.toThrow(
    `git cannot list the files of ${folder}: fatal: not a git repository`,
  )
})
