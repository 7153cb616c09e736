import type { AttackSource } from './attack.ts'
import { customResources } from './sources/custom-resources.ts'
import { encodings } from './sources/encodings.ts'
import { fieldLists } from './sources/field-lists.ts'
import { fieldStrings } from './sources/field-strings.ts'
import { hostile } from './sources/hostile-bodies.ts'
import { patches } from './sources/patches.ts'
import { requestLines } from './sources/request-lines.ts'

/** Every source of attacks. A source is a file in `sources/` and a line here. */
export const sources: readonly AttackSource[] = [
  fieldStrings,
  fieldLists,
  requestLines,
  patches,
  encodings,
  customResources,
  hostile,
]
