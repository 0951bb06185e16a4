// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
import { describe, expect, it } from 'vitest'
import { isError } from '../problems/problem.ts'
import { minimalAgent, tempProject } from '../testing/temp-project.ts'
import { validateFiles } from './validate-files.ts'

describe('validateFiles', () => {
  it('reports each file separately, with errors and warnings', async () => {
    const project = await tempProject({
      'good.agent.yaml': minimalAgent,
      'bad.yaml': `${minimalAgent}claude: {permission_mode: acceptAll, bsh: {}}\n`,
    })
    const report = await validateFiles(['good.agent.yaml', 'bad.yaml', 'gone.yaml'], project.options)
    expect(report).toEqual({
      files: [
        { file: project.path('good.agent.yaml'), ok: true, errors: [], warnings: [] },
        {
          file: project.path('bad.yaml'),
          ok: false,
          errors: [
            {
              severity: 'error',
              code: 'config.unknown-key',
              message: 'unknown key "bsh" in "claude"',
              suggestion: 'bash',
              file: project.path('bad.yaml'),
              line: 7,
              column: 38,
              path: 'claude.bsh',
            },
          ],
          warnings: [expect.objectContaining({ code: 'config.unsafe' })],
        },
        {
          file: project.path('gone.yaml'),
          ok: false,
          errors: [expect.objectContaining({ code: 'config.unreadable', message: 'there is no such file' })],
          warnings: [],
        },
      ],
    })
    expect(JSON.parse(JSON.stringify(report))).toEqual(report)
  })

  it('accepts folders, reports a folder without agents, and checks each file once', async () => {
    const project = await tempProject({ 'a/agent.yaml': minimalAgent, 'b/readme.md': '' })
    const report = await validateFiles(['a', 'a/agent.yaml', 'b'], project.options)
    expect(report.files.map(({ file, ok }) => [file, ok])).toEqual([
      [project.path('a/agent.yaml'), true],
      [project.path('b'), false],
    ])
  })

  it('refuses two files of one folder with the same name, and accepts each alone', async () => {
    const project = await tempProject({ 'a.agent.yaml': minimalAgent, 'b.agent.yaml': minimalAgent })
    const { files } = await validateFiles(['.'], project.options)
    expect(files).toMatchObject([
      { ok: true },
      { ok: false, errors: [{ code: 'config.duplicate-name', message: expect.stringContaining('a.agent.yaml') }] },
    ])
    const apart = await validateFiles(['a.agent.yaml', 'b.agent.yaml'], project.options)
    expect(apart.files.map(({ ok }) => ok)).toEqual([true, true])
  })

  it('reports a missing key as a warning, or as an error with credentials: require', async () => {
    const project = await tempProject({ 'agent.yaml': minimalAgent }, {})
    expect((await validateFiles(['agent.yaml'], project.options)).files[0]).toMatchObject({
      ok: true,
      warnings: [{ code: 'config.missing-credential' }],
    })
    const strict = await validateFiles(['agent.yaml'], { ...project.options, credentials: 'require' })
    expect(strict.files[0]).toMatchObject({ ok: false, errors: [{ code: 'config.missing-credential' }] })
  })

  it('reports missing variables of tools and hooks the same way', async () => {
    const project = await tempProject({
      'config.yaml': 'mcp_servers: [{name: shared, command: x, env: {A: "${IN_CONFIG}"}}]\n',
      'base.yaml': 'hooks: [{event: Stop, action: script, command: x, env: [OF_A_HOOK]}]\n',
      'agent.yaml': `extends: base.yaml
${minimalAgent}tools:
  - {type: mcp, name: here, command: x, env: [OF_A_TOOL]}
  - {type: mcp, name: there, transport: http, url: "https://docs.example.org", headers: {A: "Bearer \${H_TOKEN}"}}
  - {type: mcp, name: set, command: x, config: {a: "\${IN_A_CONFIG}"}}
`,
    })
    const lacking = ['OF_A_TOOL', 'H_TOKEN', 'IN_A_CONFIG', 'OF_A_HOOK', 'IN_CONFIG']
    const [report] = (await validateFiles(['agent.yaml'], project.options)).files
    expect(report).toMatchObject({ ok: true, errors: [] })
    const missingVariables = report?.warnings.filter(({ code }) => code === 'config.missing-variable') ?? []
    expect(missingVariables.map(({ message }) => message.split(/[ :]/)[4]).toSorted()).toEqual(lacking.toSorted())
    const { agent, problems } = await project.load()
    expect(agent).toBeNull()
    expect(problems.filter(isError)).toHaveLength(lacking.length)
    await project.write('agent.yaml', `${minimalAgent}tools: [{type: mcp, name: a, command: "\${PROGRAM}"}]\n`)
    expect((await validateFiles(['agent.yaml'], project.options)).files[0]).toMatchObject({ ok: false })
  })
})
