import type { AnyPlugin } from '../contract/contract.ts'
import { messageOf } from '../contract/contract.ts'
import type { Placement } from './binding-cycles.ts'

/** Determines the PreBind plugins that do not skip, and whether they take time (v1.36, RunPreBindPreFlights). */
export function preFlight({ profile, assumed, node, states }: Placement): {
  readonly plugins: readonly AnyPlugin[]
  readonly takesTime: boolean
  readonly error?: string
} {
  const plugins: AnyPlugin[] = []
  let takesTime = false
  for (const plugin of profile.preBind) {
    const status = plugin.preBindPreFlight?.(assumed, node, states.get(plugin))
    if (status?.code === 'Skip') continue
    plugins.push(plugin)
    if (status === undefined) continue
    if (status.code === 'Success') takesTime = true
    else if (status.code === 'Error') {
      return { plugins, takesTime, error: `running PreBindPreFlight "${plugin.name}": ${messageOf(status)}` }
    } else {
      const error = `PreBindPreFlight ${plugin.name} returned "${status.code}", which is unsupported. It is supposed to return Success, Skip, or Error status`
      return { plugins, takesTime, error }
    }
  }
  return { plugins, takesTime }
}
