import { type RewindReport, visibleText } from '@quarterdeck/protocol'

interface RewindFilesProps {
  readonly files: NonNullable<RewindReport['files']>
  readonly tense: 'would' | 'done'
}

const labels = {
  would: { restored: 'Will be restored', left: 'Will not change', none: 'No file would change.' },
  done: { restored: 'Restored', left: 'Not changed', none: 'No file was changed.' },
} as const

/** Lists all restored files, and all other files with the reason they were not restored. */
export function RewindFiles({ files: { restored, notRestored }, tense }: RewindFilesProps) {
  const { restored: back, left, none } = labels[tense]
  if (restored.length === 0 && notRestored.length === 0) return <p className="muted">{none}</p>
  return (
    <>
      <Paths title={back} files={restored.map((path) => ({ path }))} />
      <Paths title={left} files={notRestored} />
    </>
  )
}

interface PathsProps {
  readonly title: string
  readonly files: readonly { readonly path: string; readonly reason?: string }[]
}

function Paths({ title, files }: PathsProps) {
  if (files.length === 0) return null
  return (
    <section className="stack" aria-label={title}>
      <h3 className="label">
        {title} ({files.length})
      </h3>
      <ul className="paths">
        {files.map(({ path, reason }) => (
          <li key={path}>
            <code>{visibleText(path)}</code>
            {reason !== undefined && <small className="muted">{visibleText(reason)}</small>}
          </li>
        ))}
      </ul>
    </section>
  )
}
