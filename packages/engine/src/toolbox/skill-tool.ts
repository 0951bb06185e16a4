// Instructions of the operator that the model reads when it needs them: SKILL.md of a folder, and the files beside it.
import { readdir, readFile, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { SkillTool } from '@quarterdeck/protocol'
import type { ToolOutput } from '../backends/backend.ts'
import { hostToolName } from '../host-tool.ts'
import { cut, longestOutput } from './modules/longest-output.ts'
import { failed, type ToolPart } from './tool-part.ts'

const instructions = 'SKILL.md'
const mostFiles = 200

const inputSchema = {
  type: 'object',
  properties: {
    file: {
      type: 'string',
      description: 'One of its other files, as the instructions list it. Leave it out at first.',
    },
  },
  additionalProperties: false,
}

/** The folder is read at each call: what the operator writes is there at once. */
export function openSkillTool({ name, description, folder }: SkillTool): ToolPart {
  async function call(wanted: unknown): Promise<ToolOutput> {
    if (wanted !== undefined && typeof wanted !== 'string') return failed('file must be the path of a file.')
    if (wanted !== undefined) return await readOther(folder, wanted)
    const body = withoutFrontmatter(await readFile(join(folder, instructions), 'utf8'))
    const others = await otherFiles(folder)
    const list = others.length === 0 ? '' : `\n\nIts other files, to be read with \`file\`:\n${others.join('\n')}`
    return { output: cut(body, longestOutput) + list, isError: false }
  }
  return {
    list: () => [{ name: hostToolName(name), description, inputSchema }],
    async call({ toolInput }) {
      try {
        return await call(toolInput.file)
      } catch {
        return failed(`${name} cannot be read.`)
      }
    },
    async close() {},
  }
}

async function readOther(folder: string, wanted: string): Promise<ToolOutput> {
  const inside = await realpath(folder)
  const real = await realpath(join(inside, wanted)).catch(() => null)
  const text = real?.startsWith(inside + sep) === true ? await readFile(real, 'utf8').catch(() => null) : null
  if (text === null)
    return failed(`There is no file ${wanted} in this skill. It has: ${(await otherFiles(folder)).join(', ')}.`)
  return { output: cut(text, longestOutput), isError: false }
}

async function otherFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => path !== instructions && !path.split('/').some((part) => part.startsWith('.')))
    .toSorted()
    .slice(0, mostFiles)
}

/** What stands before the text is about it: the model knows it already. */
const withoutFrontmatter = (text: string): string =>
  text.replace(/^\uFEFF?---[ \t]*\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/, '')
