import { isBusyStatus, isClosedStatus, type PermissionRule, type SessionState } from '@quarterdeck/protocol'
import { FilePen, FilePlus, X } from 'lucide-react'
import { ChangeCount } from '../../../components/content/change-count.tsx'
import { Button } from '../../../components/controls/button.tsx'
import { NextSteps } from '../../../components/next-steps/next-steps.tsx'
import { useStore } from '../../../hooks/use-store.ts'
import { useWorkbench } from '../../../hooks/use-workbench.ts'
import { callsNotUndone } from '../../../stores/session/rewinds.ts'
import type { SessionProjection } from '../../../stores/session/session-projection.ts'
import { changedFiles, type FileChange } from '../../../stores/transcript/file-change.ts'
import { shortPath } from '../../../stores/transcript/tool-call.ts'
import { CostsBlock } from './costs-block.tsx'
import { DetailsBlock } from './details-block.tsx'

interface AboutPaneProps {
  readonly projection: SessionProjection
  readonly onRevoke: (rule: PermissionRule) => void
  readonly onHide: () => void
}

export function AboutPane({ projection, onRevoke, onHide }: AboutPaneProps) {
  const files = changedFiles(callsNotUndone(projection.transcript.items, projection.rewinds, projection.session.cwd))
  return (
    <aside className="pane about scroll" aria-label="About this session">
      <div className="pane-head">
        <h2 className="label grow">About this session</h2>
        <Button variant={['s', 'quiet', 'square', 'sheet-close']} aria-label="Hide" onClick={onHide}>
          <X className="icon" aria-hidden="true" />
        </Button>
      </div>
      <DetailsBlock session={projection.session} onRevoke={onRevoke} />
      <FilesBlock files={files} folder={projection.session.cwd} />
      <CostsBlock costs={projection.costs} money={projection.money} />
      <NextStepsBlock session={projection.session} />
    </aside>
  )
}

function FilesBlock({ files, folder }: { readonly files: readonly FileChange[]; readonly folder: string }) {
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
            <li key={file.path} className="row">
              <Icon className="icon s" aria-hidden="true" />
              <code className="ellipsis grow text-2" title={file.path}>
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

/** Shown between turns, with the id of this session. */
function NextStepsBlock({ session }: { readonly session: SessionState }) {
  const { server, origin } = useWorkbench()
  const { info, agents } = useStore(server)
  const { sessionId, agentName, status, numTurns } = session
  const isBetweenTurns = !isBusyStatus(status) && (numTurns > 0 || isClosedStatus(status))
  if (info === null || !isBetweenTurns) return null
  return (
    <section className="block" aria-label="Next steps">
      <div className="row">
        <h3 className="label">Next steps</h3>
      </div>
      <NextSteps
        usesSimulator={session.modelSource === 'simulator'}
        agent={agents?.find(({ name }) => name === agentName) ?? null}
        sample={{ origin, dataFolder: info.dataFolder, agentName, sessionId }}
      />
    </section>
  )
}
