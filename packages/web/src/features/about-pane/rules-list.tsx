import { formatRule, type PermissionRule, visibleText } from '@quarterdeck/protocol'
import { Button } from '../../ui/button.tsx'

interface RulesListProps {
  readonly rules: readonly PermissionRule[]
  readonly canRevoke: boolean
  readonly onRevoke: (rule: PermissionRule) => void
}

/** What “allow for this session” added, each to be taken back. */
export function RulesList({ rules, canRevoke, onRevoke }: RulesListProps) {
  return rules.map((rule) => {
    const words = visibleText(formatRule(rule))
    return (
      <div className="row rule" key={words}>
        <code className="grow">{words}</code>
        {canRevoke && (
          <Button look={['s', 'quiet']} aria-label={`Revoke ${words}`} onClick={() => onRevoke(rule)}>
            Revoke
          </Button>
        )}
      </div>
    )
  })
}
