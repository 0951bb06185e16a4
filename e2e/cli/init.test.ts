// Folders written by `init` work at once: without a key, without a network, with only the command.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../support/server/run-command.ts'
import { checkout, cleanEnvironment, newFolder } from '../support/server/serve.ts'

const templates = [
  { template: 'chat', message: 'Hello!', answer: /hello/i, tool: null },
  { template: 'coder', message: 'Which files are there?', answer: /cart/, tool: 'Glob' },
  {
    template: 'structured-output',
    message: 'Invoice HP-2041 of Harbour Paper: 20 reams of paper, 118.40 EUR',
    answer: /"currency":\s*"EUR"/,
    tool: null,
  },
  { template: 'mcp', message: 'List my notes.', answer: /dentist/, tool: 'mcp__notes__list_notes' },
  {
    template: 'support',
    message: 'How many days do I have to return a bicycle?',
    answer: /30 days/,
    tool: 'mcp__tools__handbook_search',
  },
  {
    template: 'netbox',
    message: 'How many sites are there?',
    answer: /24 sites/,
    tool: 'mcp__netbox__netbox_get_objects',
  },
]

describe('a folder written by init', () => {
  let parent: string

  /** Each command runs in the new folder. Its environment has PATH, HOME and no key. */
  const inside = (template: string, args: readonly string[]) => runCommand(args, { cwd: join(parent, template) })

  beforeAll(async () => {
    parent = await newFolder('init')
    for (const { template } of templates) {
      const { code, stdout, stderr } = await runCommand(['init', '--template', template], { cwd: parent })
      expect({ template, code, stderr }).toEqual({ template, code: 0, stderr: '' })
      expect(stdout).toContain(` chat ${template}\n`)
    }
  })

  it('is valid, without relevant warnings', async () => {
    const { code, stdout } = await runCommand(['validate', '--json'], { cwd: parent })
    const { files } = JSON.parse(stdout)
    expect({ code, files: files.length }).toEqual({ code: 0, files: templates.length })
    for (const { errors, warnings } of files) {
      const codes = warnings.map((warning: { code: string }) => warning.code)
      expect({ errors, codes: codes.filter((one: string) => one !== 'config.hint') }).toEqual({ errors: [], codes: [] })
    }
  })

  it.each(templates)('answers without a key: $template', async ({ template, message, answer, tool }) => {
    const { code, stdout, stderr } = await inside(template, ['run', '.', message, '--json'])
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const result = JSON.parse(stdout)
    expect(result).toMatchObject({ is_error: false, error_reason: null })
    expect(result.response).toMatch(answer)
    expect(stderr).toContain('simulator')
    const called = result.tool_calls.map((call: { name: string }) => call.name)
    if (tool !== null) expect(called).toContain(tool)
    // With a schema, the result also has the parsed object. Its text is the answer.
    if (template === 'structured-output') expect(JSON.parse(result.response)).toEqual(result.structured_output)
    else expect(result.structured_output).toBeNull()
  })

  it.each(templates)('passes its own tests: $template', async ({ template }) => {
    const args = ['test', '--model-source', 'simulator', '--format', 'json']
    const { code, stdout, stderr } = await inside(template, args)
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const { summary } = JSON.parse(stdout)
    expect(summary.total).toBeGreaterThan(0)
    expect(summary.passed).toBe(summary.total)
  })
})

describe('the package', () => {
  it('contains the templates and creates a project outside of a checkout', async () => {
    const packageFolder = await newFolder('package')
    const env = await cleanEnvironment(await newFolder('home'))
    const cli = join(checkout, 'packages', 'cli')
    const packed = spawnSync('npm', ['pack', '--pack-destination', packageFolder], { cwd: cli, env, encoding: 'utf8' })
    const tarball = packed.stdout.trim().split('\n').at(-1) ?? ''
    spawnSync('tar', ['-xzf', join(packageFolder, tarball), '-C', packageFolder])
    await symlink(join(checkout, 'node_modules'), join(packageFolder, 'node_modules'))
    const installed = join(packageFolder, 'package', 'bin', 'quarterdeck.mjs')
    const folder = join(packageFolder, 'mine')
    const args = [installed, 'init', folder, '--template', 'support']
    const made = spawnSync(process.execPath, args, { cwd: packageFolder, env, encoding: 'utf8' })
    expect(made).toMatchObject({ status: 0, stderr: '' })
    expect(await readFile(join(folder, 'agent.yaml'), 'utf8')).toMatch(/^name: mine$/m)
    expect(existsSync(join(folder, 'handbook', 'returns.md'))).toBe(true)
  })
})
