// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
import { chmod } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { formatProblem } from '../problems/problem.ts'
import { validateFiles } from '../registry/validate-files.ts'
import { tempProject } from '../testing/temp-project.ts'

const simulated = 'name: a\nmodel: {provider: simulator}\ninstructions: {inline: Hi}\n'
const vectors = 'embedding_provider: {provider: local}\ntools: [{type: vectorstore, name: kb, description: d, '

const files = {
  'docs/guide.md': '# Guide',
  'pictures/cat.png': 'x',
  'hooks/guard.mjs': 'process.exit(0)',
  'hooks/plain.sh': 'exit 0',
  'tool.mjs': 'export const f = () => 1',
  'empty/.keep': '',
}

async function check(text: string, env: Readonly<Record<string, string>> = {}) {
  const project = await tempProject({ ...files, 'agent.yaml': `${simulated}${text}` }, env)
  await chmod(project.path('hooks/guard.mjs'), 0o755)
  await chmod(project.path('hooks/plain.sh'), 0o644)
  const [report] = (await validateFiles(['agent.yaml'], project.options)).files
  const lines = [...(report?.errors ?? []), ...(report?.warnings ?? [])].map((one) =>
    formatProblem(one, project.folder),
  )
  return { ok: report?.ok, lines, loaded: await project.load() }
}

const search = (fields: string) => check(`${vectors}${fields}}]\n`)
const hook = (fields: string) => check(`hooks: [{event: PreToolUse, action: script, ${fields}}]\n`)
const server = (fields: string) => check(`tools: [{type: mcp, name: notes, ${fields}}]\n`)
const sent = (path: string) => check(`test_cases: [{input: a, files: [{type: image, path: ${path}}]}]\n`)

describe('validate, checking documents', () => {
  it.each(['docs', 'docs/guide.md', '"docs/*.md"', '"**/*.md"'])('accepts existing documents: %s', async (source) => {
    expect(await search(`source: ${source}`)).toMatchObject({ ok: true, lines: [] })
  })

  it('reports missing documents as an error with the nearest name', async () => {
    const { ok, lines, loaded } = await search('source: doc/guide.md')
    expect(ok).toBe(false)
    expect(lines).toEqual([
      'agent.yaml:5:63 error: "tools[0].source": cannot use doc/guide.md: there is no such file or folder. Did you mean "docs/guide.md"?',
    ])
    // Loading still succeeds: the documents may be created before a session opens.
    expect(loaded.agent).not.toBeNull()
  })

  it.each([
    ['empty', 'it contains no readable documents'],
    ['"docs/*.csv"', 'it contains no readable documents'],
    ['"nowhere/*.md"', 'there is no such file or folder'],
    ['pictures/cat.png', 'it cannot be read: only .txt'],
  ])('refuses documents that a session would refuse: %s', async (source, reason) => {
    const { ok, lines } = await search(`source: ${source}`)
    expect(ok).toBe(false)
    expect(lines).toEqual([expect.stringContaining(`: ${reason}`)])
  })

  it.each([
    ['./dcos/', './docs/'],
    ['"dcos/*.md"', 'docs/*.md'],
    ['"dcos/**/*.md"', 'docs/**/*.md'],
  ])('suggests the nearest path in the notation of the file: %s', async (source, meant) => {
    const { lines } = await search(`source: ${source}`)
    expect(lines).toEqual([expect.stringContaining(`there is no such file or folder. Did you mean "${meant}"?`)])
  })

  it('warns about missing documents when the tool has on_failure: warn', async () => {
    const { ok, lines } = await search('source: gone, on_failure: warn')
    expect(ok).toBe(true)
    expect(lines).toEqual([expect.stringMatching(/ warning: "tools\[0\]\.source": cannot use gone: /)])
  })

  it('shows variable names instead of their values', async () => {
    const { lines } = await check(`${vectors}source: "\${PLACE}"}]\n`, { PLACE: 'doc' })
    expect(lines).toEqual([expect.stringMatching(/cannot use \$\{PLACE\}: there is no such file or folder$/)])
  })
})

describe('validate, checking programs', () => {
  it.each([
    'command: ./hooks/guard.mjs',
    'command: hooks/guard.mjs',
    'command: node, args: [hooks/guard.mjs]',
    'command: node, args: [--import, ./gone.mjs, hooks/guard.mjs]',
    'command: somewhere-on-the-path, args: [./gone.mjs]',
    'command: npx, args: [gone.mjs]',
  ])('accepts existing programs and programs it cannot check: %s', async (fields) => {
    expect((await hook(fields)).lines).toEqual([])
    expect((await server(fields)).lines).toEqual([])
  })

  it.each([
    ['command: ./hooks/gaurd.mjs', 'hooks[0].command', './hooks/guard.mjs'],
    ['command: node, args: [hooks/gard.mjs]', 'hooks[0].args[0]', 'hooks/guard.mjs'],
  ])('warns about a missing hook program: %s', async (fields, path, meant) => {
    const { ok, lines } = await hook(fields)
    expect(ok).toBe(true)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(`warning: "${path}": cannot use `)
    expect(lines[0]).toContain(
      `there is no such file; every call it is asked about is denied. Did you mean "${meant}"?`,
    )
  })

  it('warns about a hook program that is not executable', async () => {
    expect((await hook('command: ./hooks/plain.sh')).lines).toEqual([expect.stringContaining('chmod +x')])
    expect((await hook('command: sh, args: [./hooks/plain.sh]')).lines).toEqual([])
  })

  it('warns about a hook program that is a folder', async () => {
    const { lines } = await hook('command: ./hooks')
    expect(lines).toEqual([expect.stringContaining('cannot use ./hooks: it is a folder; every call')])
  })

  it('reports a missing server program as an error, or as a warning with on_failure: warn', async () => {
    const { ok, lines } = await server('command: ./srever.mjs')
    expect({ ok, lines }).toEqual({ ok: false, lines: [expect.stringContaining('error: "tools[0].command"')] })
    expect(await server('command: node, args: [./gone.mjs], on_failure: warn')).toMatchObject({ ok: true })
  })
})

describe('validate, checking other files', () => {
  it('warns about missing files of test cases', async () => {
    expect((await sent('pictures/cat.png')).lines).toEqual([])
    const { ok, lines } = await sent('pictures/cta.png')
    expect(ok).toBe(true)
    expect(lines).toEqual([
      'agent.yaml:4:53 warning: "test_cases[0].files[0].path": cannot use pictures/cta.png: there is no such file; "quarterdeck test" refuses it. Did you mean "pictures/cat.png"?',
    ])
  })

  it('warns about a folder used as a test file', async () => {
    expect((await sent('pictures')).lines).toEqual([
      expect.stringContaining('cannot use pictures: it is a folder; "quarterdeck test" refuses it'),
    ])
  })

  it('reports missing modules as errors', async () => {
    const { lines, loaded } = await check(
      'tools: [{type: function, name: f, description: d, file: tols.mjs, function: f}]\n',
    )
    expect(lines).toEqual([expect.stringMatching(/there is no such file\. Did you mean "tool\.mjs"\?$/)])
    expect(loaded.agent).toBeNull()
  })
})
