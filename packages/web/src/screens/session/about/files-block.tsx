import { FilePen, FilePlus } from 'lucide-react'
import { ChangeCount } from '../../../components/content/change-count.tsx'
import type { FileChange } from '../../../stores/transcript/file-change.ts'
import { shortPath } from '../../../stores/transcript/tool-call.ts'

interface FilesBlockProps {
  readonly files: readonly FileChange[]
  readonly folder: string
}

export function FilesBlock({ files, folder }: FilesBlockProps) {
  return (
    <section className="block" aria-label="Files changed">
      <div className="row">
        <h3 className="label grow">Files changed</h3>
        {files.length > 0 && <span className="muted num">{files.length}</span>}
      </div>
      {files.length === 0 && <p className="muted">None yet.</p>}
      <ul className="files">
        {files.map((file) => {
          const Icon = file.kind === 'write' ? FilePlus : FilePen
          return (
            <li key={file.path}>
              <Icon className="icon s" aria-hidden="true" />
              <code className="cut grow" title={file.path}>
                {shortPath(file.path, folder)}
              </code>
              <ChangeCount added={file.added} removed={file.removed} />
            </li>
          )
        })}
      </ul>
    </section>
  )
}
