// A project on disk with traps for the policies: links that lead outside, a secret, the server's own files.
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ClaudeSettings, type PermissionMode, type PermissionRule, parseRule } from '@quarterdeck/protocol'
import { claudeSettings } from '../testing/agent-definition.fixture.ts'
import { createPermissionCheck, type PermissionAnswer } from './permission-check.ts'
import { allSessionTools } from './tools/session-tools.ts'

export interface Setting {
  claude?: Partial<ClaudeSettings>
  mode?: PermissionMode
  allow?: string[]
  deny?: string[]
  session?: string[]
}

export const everything = claudeSettings('', { webSearch: true })

export async function createHostileProject() {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'trapped-project-')))
  const cwd = join(root, 'project')
  await layOut(root, cwd)

  function check(
    toolName: string,
    toolInput: Record<string, unknown>,
    setting: Setting = {},
  ): Promise<PermissionAnswer> {
    const permissions = createPermissionCheck({
      sessionTools: allSessionTools,
      claude: { ...everything, workingDirectory: cwd, ...setting.claude },
      cwd,
      approvals: { allow: rules(setting.allow), deny: rules(setting.deny), expiresAfterMs: null },
      hiddenPaths: [join(cwd, 'data', 'token'), join(root, 'outside', 'database')],
    })
    const situation = { mode: setting.mode ?? 'acceptAll', sessionRules: rules(setting.session) }
    return permissions.check({ toolName, toolInput }, situation)
  }

  return {
    cwd,
    check,
    bash: (command: string, setting: Setting = {}) => check('Bash', { command }, setting),
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

export const typeOf = async (answer: Promise<PermissionAnswer>) => (await answer).type

async function layOut(root: string, cwd: string): Promise<void> {
  await mkdir(join(cwd, 'src'), { recursive: true })
  await mkdir(join(cwd, 'data'))
  await mkdir(join(root, 'outside'))
  await writeFile(join(cwd, 'src', 'a.ts'), 'export const a = 1\n')
  await writeFile(join(cwd, '.env'), 'KEY=1\n')
  await writeFile(join(cwd, 'data', 'token'), 'x')
  await writeFile(join(cwd, 'data', 'plain'), 'x')
  await symlink(join(root, 'outside'), join(cwd, 'way-out'))
  await symlink(join(root, 'outside', 'not-there'), join(cwd, 'dangling'))
  await symlink(join(cwd, '.env'), join(cwd, 'config.txt'))
  await symlink(join(cwd, 'data'), join(cwd, 'alias'))
  await symlink('loop', join(cwd, 'loop'))
}

const rules = (texts: string[] = []): PermissionRule[] =>
  texts.map((text) => {
    const rule = parseRule(text)
    if (rule === undefined) throw new Error(`no rule: ${text}`)
    return rule
  })
