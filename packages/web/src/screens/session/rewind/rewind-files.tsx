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
      {restored.length > 0 && (
        <section className="stack" aria-label={back}>
          <h3 className="label">
            {back} ({restored.length})
          </h3>
          <ul className="paths">
            {restored.map((path) => (
              <li key={path}>
                <code>{visibleText(path)}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
      {notRestored.length > 0 && (
        <section className="stack" aria-label={left}>
          <h3 className="label">
            {left} ({notRestored.length})
          </h3>
          <ul className="paths">
            {notRestored.map(({ path, reason }) => (
              <li key={path}>
                <code>{visibleText(path)}</code>
                <small className="muted">{visibleText(reason)}</small>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
