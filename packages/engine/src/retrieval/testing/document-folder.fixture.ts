import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

export interface DocumentFolder {
  /** Absolute path of a project that contains `docs/`. */
  readonly project: string
  readonly docs: string
  readonly dataDir: string
  write(path: string, text: string | Uint8Array): Promise<void>
  remove(path: string): Promise<void>
}

/** Removed after the test. */
export async function openDocumentFolder(files: Readonly<Record<string, string>>): Promise<DocumentFolder> {
  const project = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-retrieval-')))
  onTestFinished(async () => rm(project, { recursive: true, force: true }))
  const docs = join(project, 'docs')
  const folder: DocumentFolder = {
    project,
    docs,
    dataDir: join(project, 'data'),
    async write(path, text) {
      await mkdir(dirname(join(docs, path)), { recursive: true })
      await writeFile(join(docs, path), text)
    },
    remove: async (path) => rm(join(docs, path)),
  }
  await mkdir(docs, { recursive: true })
  for (const [path, text] of Object.entries(files)) await folder.write(path, text)
  return folder
}
