// The files of a new project: those of the template under the new name, and those that every project gets.
import { readdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { agentSchemaText, configSchemaText } from '@quarterdeck/engine'
import { type Template, templatesFolder } from './templates.ts'

export interface ProjectFile {
  /** Relative to the project's folder, with forward slashes. */
  readonly path: string
  readonly text: string
}

export async function projectFiles(template: Template, name: string): Promise<readonly ProjectFile[]> {
  const folder = join(templatesFolder(), template.folder)
  const own: ProjectFile[] = []
  for (const path of await filesBelow(folder)) {
    own.push({ path, text: rewritten(path, await readFile(join(folder, path), 'utf8'), name) })
  }
  const added = [
    { path: 'README.md', text: readme(template, name) },
    { path: '.env.example', text: envExample + (template.variables ?? '') },
    { path: '.gitignore', text: '.env\n.quarterdeck/\nnode_modules/\n' },
    { path: agentSchemaFile, text: agentSchemaText() },
    { path: configSchemaFile, text: configSchemaText() },
  ]
  return [...own, ...added].sort((a, b) => (a.path < b.path ? -1 : 1))
}

const agentSchemaFile = '.schemas/agent.schema.json'
const configSchemaFile = '.schemas/config.schema.json'

/** The README of an example and its dotfiles describe the checkout, so they are left out. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map((path) => path.split(sep).join('/'))
    .filter((path) => path !== 'README.md' && !path.split('/').some((part) => part.startsWith('.')))
}

function rewritten(path: string, text: string, name: string): string {
  if (path === 'agent.yaml') return withSchema(text.replace(/^name: .*$/m, `name: ${name}`), agentSchemaFile)
  return path === 'config.yaml' ? withSchema(text, configSchemaFile) : text
}

/** Editors that know YAML check and complete the file; the schema is in the project, so this works offline. */
const withSchema = (text: string, file: string): string =>
  `# yaml-language-server: $schema=${file}\n${text.replace(/^# yaml-language-server:.*\n/, '')}`

const envExample = `# Copy this file to .env and fill it in. Without a key the local simulator answers and says so.
# ANTHROPIC_API_KEY=
`

const readme = ({ summary, firstMessage, about }: Template, name: string): string => `# ${name}

An agent for Quarterdeck: ${summary}. \`quarterdeck\` below is the installed command. From a checkout of Quarterdeck with built packages it is \`node CHECKOUT/packages/cli/bin/quarterdeck.mjs\`, and inside the checkout \`npx --no -- quarterdeck\`.

\`\`\`sh
quarterdeck chat                                    # talk to it
quarterdeck run . "${firstMessage}"
quarterdeck test --model-source simulator           # run its test cases without a key
quarterdeck validate                                # list every problem with line and column
quarterdeck serve                                   # use it in the browser and over HTTP
\`\`\`

\`config.yaml\` sets \`model_source: auto\`: with a key in the shell or in \`.env\` the provider answers, without one the local simulator.
${about ?? ''}
\`agent.yaml\` is the agent. Save it, and the next session uses the new version. Editors with a YAML language server check it as you type against \`.schemas/\`. After an update of Quarterdeck, update the schema: \`quarterdeck schema > .schemas/agent.schema.json\`.
`
