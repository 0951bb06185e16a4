// Instructions of the operator that the model reads when it needs them: SKILL.md of a folder, and the files next to it.
import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join, posix, relative, sep } from 'node:path'
import type { SkillTool } from '@quarterdeck/protocol'
import type { Logger } from '../ports/logger.ts'
import type { ToolOutput } from '../ports/tool-call.ts'
import { hostToolName } from '../tool-names/host-tool-names.ts'
import { beginningOf, cut, longestOutput } from './modules/longest-output.ts'
import { failed, type ToolSource } from './tool-source.ts'

const instructions = 'SKILL.md'
const mostFiles = 200
const mostBytes = 4 * longestOutput

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

/** The folder is read at each call, so that changes take effect at once. */
export function openSkillTool({ name, description, folder }: SkillTool, logger: Logger): ToolSource {
  async function call(wanted: unknown): Promise<ToolOutput> {
    if (wanted !== undefined && typeof wanted !== 'string') return failed('file must be the path of a file.')
    if (wanted !== undefined) return await readOther(folder, wanted)
    const body = withoutFrontmatter(await readBeginning(join(folder, instructions)))
    const others = (await otherFiles(folder)).slice(0, mostFiles)
    const list = others.length === 0 ? '' : `\n\nIts other files, to be read with \`file\`:\n${others.join('\n')}`
    return { output: body + list, isError: false }
  }
  return {
    list: () => [{ name: hostToolName(name), description, inputSchema }],
    async call({ toolInput }) {
      try {
        return await call(toolInput.file)
      } catch (error) {
        logger.warn({ tool: name, folder, error }, 'a skill cannot be read')
        return failed(`${name} cannot be read.`)
      }
    },
    async close() {},
  }
}

async function readOther(folder: string, wanted: string): Promise<ToolOutput> {
  const others = await otherFiles(folder)
  const found = others.find((path) => path === posix.normalize(wanted))
  if (found === undefined) {
    return failed(`There is no file ${wanted} in this skill. It has: ${others.slice(0, mostFiles).join(', ')}.`)
  }
  return { output: await readBeginning(join(folder, found)), isError: false }
}

/** Regular files only: a pipe might never end, and links lead elsewhere. */
async function readBeginning(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    const { size } = await file.stat().then((stats) => (stats.isFile() ? stats : Promise.reject(new Error('no file'))))
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(Math.min(size, mostBytes)), position: 0 })
    const text = buffer.toString('utf8', 0, bytesRead)
    return size <= mostBytes
      ? cut(text, longestOutput)
      : `${beginningOf(text, longestOutput)}\n… cut here: ${size} bytes.`
  } finally {
    await file.close()
  }
}

/** Without dot-files, which are private, and links, which lead elsewhere. */
async function otherFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => path !== instructions && !path.split('/').some((part) => part.startsWith('.')))
    .toSorted()
}

/** Removes the front matter, which the model already knows. */
const withoutFrontmatter = (text: string): string =>
  text.replace(/^\uFEFF?---[ \t]*\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/, '')
