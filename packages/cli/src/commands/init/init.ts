// `quarterdeck init`: creates a folder with an agent that runs offline.
import { lstatSync, statSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { makeFolder } from '@quarterdeck/engine'
import { AgentName, isQuarterdeckError, visibleText } from '@quarterdeck/protocol'
import type { AddCommand } from '../../flags/command-options.ts'
import { commandLine, shellWord } from '../../terminal/command-line.ts'
import { misuse } from '../../terminal/misuse.ts'
import { isInteractive, print, remark, type Terminal } from '../../terminal/terminal.ts'
import { type ProjectFile, projectFiles } from './project-files.ts'
import { type Template, templates } from './templates.ts'

export interface InitFlags {
  readonly template?: string
  readonly name?: string
  readonly force?: boolean
  readonly list?: boolean
}

export const addInitCommand: AddCommand = (program, terminal, finish) => {
  program
    .command('init')
    .description('create a folder with an agent that runs offline')
    .argument('[folder]', 'folder to create (default: the name of the template)')
    .option('--template <name>', `template to copy: ${templates.map(({ name }) => name).join(', ')}`)
    .option('--name <name>', 'name of the agent (default: the name of the folder)')
    .option('--force', 'replace existing files')
    .option('--list', 'only list the templates')
    .action(async (folder: string | undefined, flags) => finish(await init(terminal, { folder, flags })))
}

interface InitInput {
  readonly folder?: string | undefined
  readonly flags: InitFlags
}

export async function init(terminal: Terminal, input: InitInput): Promise<number> {
  const { flags } = input
  if (flags.list === true) {
    print(terminal, templateLines().join('\n'))
    return 0
  }
  const template = await templateFor(terminal, input)
  if (template === null) return 1
  if (input.folder?.trim() === '') throw misuse('the folder name is empty: give a name, or . for the current folder')
  const folder = resolve(terminal.cwd, input.folder ?? flags.name ?? template.name)
  const name = nameFor(folder, flags.name)
  const files = await projectFiles(template, name)
  try {
    refuseToOverwrite({ terminal, folder, files, isForced: flags.force === true })
    for (const { path, text } of files) await writeAnew(join(folder, path), text)
  } catch (error) {
    throw cannotWrite(relative(terminal.cwd, folder) || '.', error)
  }
  print(terminal, nextSteps(terminal, { template, name, folder, files }))
  return 0
}

const templateLines = (): readonly string[] => {
  const width = Math.max(...templates.map(({ name }) => name.length))
  return templates.map(({ name, summary }) => `${name.padEnd(width)}  ${summary}`)
}

function templateNamed(name: string): Template {
  const found = templates.find((template) => template.name === name)
  if (found !== undefined) return found
  throw misuse(`there is no template "${name}". Available:\n  ${offered()}`)
}

const offered = (): string => templateLines().join('\n  ')

/** `null` when the user leaves. */
async function templateFor(terminal: Terminal, { folder, flags }: InitInput): Promise<Template | null> {
  if (flags.template !== undefined) return templateNamed(flags.template)
  const isNamed = folder !== undefined || flags.name !== undefined
  return isNamed && !isInteractive(terminal) ? templateNamed('chat') : chooseTemplate(terminal)
}

async function chooseTemplate(terminal: Terminal): Promise<Template | null> {
  if (!isInteractive(terminal)) throw misuse(`choose a template with --template NAME. Available:\n  ${offered()}`)
  remark(terminal, 'Which template should the agent start from?')
  for (const [index, line] of templateLines().entries()) remark(terminal, `  ${index + 1}. ${line}`)
  const lines = createInterface({ input: terminal.stdin, output: terminal.stderr, prompt: 'a number or a name [1]: ' })
  try {
    lines.prompt()
    for await (const line of lines) {
      const chosen = templateBy(line.trim())
      if (chosen !== undefined) return chosen
      remark(
        terminal,
        visibleText(`there is no template "${line.trim()}": enter a number from 1 to ${templates.length}, or a name`),
      )
      lines.prompt()
    }
    return null // Ctrl-C or Ctrl-D
  } finally {
    lines.close()
  }
}

const templateBy = (answer: string): Template | undefined =>
  answer === '' ? templates[0] : (templates[Number(answer) - 1] ?? templates.find(({ name }) => name === answer))

function nameFor(folder: string, given: string | undefined): string {
  const name = given ?? basename(folder)
  if (AgentName.safeParse(name).success) return name
  const rule = 'a name has letters, digits, "_" and "-", starts with a letter, and has up to 64 characters'
  const hint = given === undefined ? '. Choose another with --name' : ''
  throw misuse(`"${name}" cannot be the name of an agent: ${rule}${hint}`)
}

interface Writing {
  readonly terminal: Terminal
  readonly folder: string
  readonly files: readonly ProjectFile[]
  readonly isForced: boolean
}

/** Checked before anything is written, so a refusal leaves no partial project. */
function refuseToOverwrite({ terminal, folder, files, isForced }: Writing): void {
  const shown = relative(terminal.cwd, folder) || '.'
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw misuse(`${shown} is a file: give a folder`)
  }
  const there = files.map(({ path }) => path).filter((path) => isThere(join(folder, path)))
  if (there.length === 0 || isForced) return
  const named = there.slice(0, 10).join(', ') + (there.length > 10 ? ` and ${there.length - 10} more` : '')
  const hint = 'Nothing was written. Choose another folder, or use --force to replace them.'
  throw misuse(`${shown} already has ${named}. ${hint}`)
}

/** A dangling link counts as existing. */
const isThere = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined

/** Replaces the file instead of writing through it: it may be a link. */
async function writeAnew(file: string, text: string): Promise<void> {
  await makeFolder(dirname(file))
  await rm(file, { force: true })
  await writeFile(file, text, { flag: 'wx' })
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'a part of the path is a file',
  ENOTDIR: 'a part of the path is a file',
  ENOENT: 'no folder can be created there',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'the path is too long',
}

function cannotWrite(shown: string, error: unknown): unknown {
  if (isQuarterdeckError(error) || !(error instanceof Error) || !('code' in error)) return error
  const code = String(error.code)
  return misuse(`${shown} cannot be written: ${reasons[code] ?? code}`, { cause: error })
}

interface Made extends Omit<Writing, 'terminal' | 'isForced'> {
  readonly template: Template
  readonly name: string
}

function nextSteps(terminal: Terminal, { template, name, folder, files }: Made): string {
  const path = relative(terminal.cwd, folder) || '.'
  const command = commandLine(terminal)
  const at = shellWord(path)
  const count = `${files.length} files`
  return visibleText(
    [
      `${name}: ${count} in ${path}, from the template ${template.name} (${template.summary}).`,
      '',
      'Next, with or without a key:',
      `  ${command} chat ${at}`,
      `  ${command} run ${at} "${template.firstMessage}"`,
      `  ${command} test ${at} --model-source simulator`,
      `  ${command} serve ${at}`,
      '',
      `The agent is ${join(path, 'agent.yaml')}: change it and save. Keys and variables go into ${join(path, '.env')}: see .env.example.`,
    ].join('\n'),
  )
}
