import { type FieldNode, Kind, type OperationDefinitionNode, type ValueNode } from 'graphql';

/**
 * What the arguments of an operation's fields come to with the variables that were sent, raw and not yet checked. What is
 * not of the kind that is asked for is undefined: validation and the coercion of variables refuse it.
 */
export class ArgumentValues {
  /** Whether a value that was sent had a say so far. */
  readsVariables = false;
  readonly #sent: Record<string, unknown>;
  readonly #defaults = new Map<string, ValueNode>();

  constructor({ variableDefinitions = [] }: OperationDefinitionNode, sent: Record<string, unknown>) {
    this.#sent = sent;
    for (const { variable, defaultValue } of variableDefinitions) {
      if (defaultValue) this.#defaults.set(variable.name.value, defaultValue);
    }
  }

  integer(node: FieldNode, name: string): number | undefined {
    const { sent, literal } = this.#valueOf(argumentOf(node, name));
    if (typeof sent === 'number' && Number.isInteger(sent)) return sent;
    return literal?.kind === Kind.INT ? Number(literal.value) : undefined;
  }

  /** Of a string or an enumeration. */
  text(node: FieldNode, name: string): string | undefined {
    const { sent, literal } = this.#valueOf(argumentOf(node, name));
    if (typeof sent === 'string') return sent;
    return literal?.kind === Kind.STRING || literal?.kind === Kind.ENUM ? literal.value : undefined;
  }

  listLength(node: FieldNode, name: string): number | undefined {
    return this.#lengthOf(argumentOf(node, name));
  }

  /** The lengths of the lists that an input object has for fields; 0 for a field that is none. */
  listLengthsIn(node: FieldNode, name: string): number[] {
    const { sent, literal } = this.#valueOf(argumentOf(node, name));
    return [
      ...Object.values((sent ?? {}) as object).map((field) => (Array.isArray(field) ? field.length : 0)),
      ...(literal?.kind === Kind.OBJECT
        ? literal.fields.map((field) => this.#lengthOf(field.value) ?? 0)
        : []),
    ];
  }

  #lengthOf(value: ValueNode | undefined): number | undefined {
    const { sent, literal } = this.#valueOf(value);
    if (Array.isArray(sent)) return sent.length;
    return literal?.kind === Kind.LIST ? literal.values.length : undefined;
  }

  /** What was sent for a variable, and the literal that stands for a value: itself, or the default of one that was not sent. */
  #valueOf(value: ValueNode | undefined): { sent?: unknown; literal?: ValueNode | undefined } {
    if (value?.kind !== Kind.VARIABLE) return { literal: value };
    this.readsVariables = true;
    const name = value.name.value;
    const sent = Object.hasOwn(this.#sent, name) ? this.#sent[name] : undefined;
    return sent === undefined ? { literal: this.#defaults.get(name) } : { sent };
  }
}

function argumentOf(node: FieldNode, name: string): ValueNode | undefined {
  return node.arguments?.find((argument) => argument.name.value === name)?.value;
}
