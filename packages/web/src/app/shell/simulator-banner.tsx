import { Info } from 'lucide-react'

export function SimulatorBanner() {
  return (
    <div className="strip" data-simulator="true">
      <Info className="icon s" aria-hidden="true" />
      <span>
        <b>Local simulator:</b> nothing is sent to a provider, answers are rule-based.
      </span>
    </div>
  )
}
