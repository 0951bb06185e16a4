import type { TextItem, UserItem } from '@quarterdeck/protocol'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useRef } from 'react'
import type { SessionProjection } from '../../stores/session/session-projection.ts'
import type { useSessionActions } from './actions/use-session-actions.ts'
import type { OpenDialog } from './dialogs/session-dialogs.tsx'
import { SessionAsk } from './session-ask.tsx'
import type { RowActions } from './transcript/row-actions.ts'

interface RowActionsOptions {
  readonly projection: SessionProjection
  readonly setPane: (pane: 'transcript') => void
  readonly setDialog: (dialog: OpenDialog) => void
  readonly actions: ReturnType<typeof useSessionActions>
}

/** The callbacks of transcript rows. */
export function useRowActions({ projection, setPane, setDialog, actions }: RowActionsOptions): RowActions {
  const navigate = useNavigate()
  const { sessionId } = projection.session
  // Row callbacks must stay stable, or every row renders again. The ref gives them the current actions.
  const latest = useRef(actions)
  latest.current = actions
  const onShowAgent = useCallback(
    (key: string) => {
      setPane('transcript')
      const search = key === '' ? {} : { agent: key }
      void navigate({ to: '/sessions/$sessionId', params: { sessionId }, search, replace: true })
    },
    [navigate, sessionId, setPane],
  )
  const onMessage = useCallback(
    (action: 'fork' | 'rewind', item: UserItem | TextItem) => {
      if (item.type === 'user') setDialog({ type: action, item })
      else if (item.seq !== null) void latest.current.fork({ at: item.seq })
    },
    [setDialog],
  )
  return {
    onShowAgent,
    onMessage,
    renderAsk: (item) => <SessionAsk item={item} projection={projection} onStop={actions.interrupt} />,
  }
}
