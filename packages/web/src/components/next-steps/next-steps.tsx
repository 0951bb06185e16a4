import type { AgentSummary } from '@quarterdeck/protocol'
import { useState } from 'react'
import { curlSample, type SampleFacts, typescriptSample } from '../../stores/server/code-samples.ts'
import { CodeSample } from '../controls/code-sample.tsx'

interface NextStepsProps {
  readonly usesSimulator: boolean
  readonly agent: AgentSummary | null
  readonly sample: SampleFacts
}

/** Next steps after the first run: use a real key, edit the agent file, call the API. */
export function NextSteps({ usesSimulator, agent, sample }: NextStepsProps) {
  return (
    <ul className="steps">
      {usesSimulator && (
        <li>
          <h3>Use your key</h3>
          <p>Stop the server, export the key, and start it again. Agents that need this key then use the provider.</p>
          <CodeSample label="the key command" code={'export ANTHROPIC_API_KEY=…\nnpm start'} />
        </li>
      )}
      {agent !== null && (
        <li>
          <h3>Edit this agent</h3>
          <p>
            {agent.name} is one file. The server reloads it when you save it and shows mistakes here with their line.
          </p>
          <CodeSample label="the path" code={agent.file} />
        </li>
      )}
      <li>
        <h3>Call it from code</h3>
        <Samples sample={sample} />
      </li>
    </ul>
  )
}

function Samples({ sample }: { readonly sample: SampleFacts }) {
  const [shown, setShown] = useState<'curl' | 'typescript'>('curl')
  const code = shown === 'curl' ? curlSample(sample) : typescriptSample(sample)
  return (
    <div className="stack">
      <fieldset className="seg">
        <legend className="visually-hidden">Language</legend>
        <button type="button" aria-current={shown === 'curl'} onClick={() => setShown('curl')}>
          curl
        </button>
        <button type="button" aria-current={shown === 'typescript'} onClick={() => setShown('typescript')}>
          TypeScript
        </button>
      </fieldset>
      <CodeSample label={shown === 'curl' ? 'the curl command' : 'the TypeScript program'} code={code} />
      {shown === 'typescript' && <p className="muted">Run it inside this repository, which contains the packages.</p>}
    </div>
  )
}
