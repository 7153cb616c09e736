import { authorization } from './library/authorization.ts'
import { calendar } from './library/calendar.ts'
import { conversions } from './library/conversions.ts'
import type { Implementation, Library } from './library/implementation.ts'
import { kubernetes } from './library/kubernetes.ts'
import { lists } from './library/lists.ts'
import { network } from './library/network.ts'
import { operators } from './library/operators.ts'
import { strings } from './library/strings.ts'

const functions: Library = {
  ...operators,
  ...conversions,
  ...calendar,
  ...strings,
  ...lists,
  ...network,
  ...kubernetes,
  ...authorization,
}

export function functionNamed(name: string): Implementation | undefined {
  return Object.hasOwn(functions, name) ? functions[name] : undefined
}
