import type { PermissionRule } from '@quarterdeck/protocol'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { changedFiles } from '../../state/file-change.ts'
import { callsNotUndone } from '../../state/rewinds.ts'
import type { SessionStory } from '../../state/session-story.ts'
import { Button } from '../../ui/button.tsx'
import { CostsBlock } from './costs-block.tsx'
import { DetailsBlock } from './details-block.tsx'
import { FilesBlock } from './files-block.tsx'

interface AboutPaneProps {
  readonly story: SessionStory
  readonly onRevoke: (rule: PermissionRule) => void
  readonly onHide: () => void
  readonly children?: ReactNode
}

export function AboutPane({ story, onRevoke, onHide, children }: AboutPaneProps) {
  const files = changedFiles(callsNotUndone(story.transcript.items, story.rewinds, story.session.cwd))
  return (
    <aside className="pane about scroll" aria-label="About this session">
      <div className="pane-head">
        <h2 className="label grow">About this session</h2>
        <Button look={['s', 'quiet', 'square', 'sheet-close']} aria-label="Hide" onClick={onHide}>
          <X className="icon" aria-hidden="true" />
        </Button>
      </div>
      <DetailsBlock session={story.session} onRevoke={onRevoke} />
      <FilesBlock files={files} folder={story.session.cwd} />
      <CostsBlock costs={story.costs} money={story.money} />
      {children}
    </aside>
  )
}
