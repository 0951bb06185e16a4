import type { SessionState } from '@quarterdeck/protocol'
import { NextSteps } from '../../components/next-steps/next-steps.tsx'
import { useStore } from '../../hooks/use-store.ts'
import { useWorkbench } from '../../hooks/use-workbench.ts'

/** Next steps after a turn, with the id of this session. */
export function SessionNextSteps({ session }: { readonly session: SessionState }) {
  const { server, origin } = useWorkbench()
  const { info, agents } = useStore(server)
  if (info === null) return null
  const { sessionId, agentName } = session
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
