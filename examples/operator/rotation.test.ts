import { describe } from 'vitest'
import { rotationTests } from './rotation-suite.ts'
import { virtualEnvironment } from './virtual-environment.ts'

describe('the operator in virtual time', () => rotationTests(virtualEnvironment))
