import type { PermissionRule } from '@quarterdeck/protocol'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { callsNotUndone } from '../../../stores/session/rewinds.ts'
import type { SessionProjection } from '../../../stores/session/session-projection.ts'
import { changedFiles } from '../../../stores/transcript/file-change.ts'
import { CostsBlock } from './costs-block.tsx'
import { DetailsBlock } from './details-block.tsx'
import { FilesBlock } from './files-block.tsx'

interface AboutPaneProps {
  readonly projection: SessionProjection
  readonly onRevoke: (rule: PermissionRule) => void
  readonly onHide: () => void
  readonly children?: ReactNode
}

export function AboutPane({ projection, onRevoke, onHide, children }: AboutPaneProps) {
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
      {children}
    </aside>
  )
}
