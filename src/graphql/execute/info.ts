import type {
  FieldNode,
  GraphQLField,
  GraphQLObjectType,
  GraphQLResolveInfo,
  OperationDefinitionNode,
  ResponsePath,
} from 'graphql';
import type { Selections } from './collect-fields.ts';
import { Position } from './position.ts';
import type { Run } from './run.ts';

/** What is the same for all of an operation. */
export interface Plan extends Selections {
  operation: OperationDefinitionNode;
}

/** What is known of a field of an operation before it is executed. */
export interface StaticInfo {
  plan: Plan;
  parentType: GraphQLObjectType;
  definition: GraphQLField<unknown, unknown>;
  /** In the answer. */
  name: string;
  nodes: readonly FieldNode[];
}

/** What a resolver is told of its field; all of it is in getters, so that it costs what is asked for. */
export class FieldInfo implements GraphQLResolveInfo {
  private readonly field: StaticInfo;
  private readonly parent: Position;
  private readonly run: Run;

  /** @param parent the position of the object that the field is of */
  constructor(field: StaticInfo, parent: Position, run: Run) {
    this.field = field;
    this.parent = parent;
    this.run = run;
  }

  /** For what is asked about a value: it may be an item of the field's list. */
  static ofValue(field: StaticInfo, at: Position, run: Run): FieldInfo {
    let own = at;
    while (typeof own.key === 'number') own = own.parent!;
    return new FieldInfo(field, own.parent!, run);
  }

  get fieldName(): string {
    return this.field.definition.name;
  }

  get fieldNodes() {
    return this.field.nodes;
  }

  get returnType() {
    return this.field.definition.type;
  }

  get parentType() {
    return this.field.parentType;
  }

  get path(): ResponsePath {
    const { nodes, name, parentType } = this.field;
    const slot = { nodes, isNullable: true, typename: parentType.name };
    return new Position(this.parent, name, slot).responsePath!;
  }

  get schema() {
    return this.field.plan.schema;
  }

  get fragments() {
    return this.field.plan.fragments;
  }

  get rootValue() {
    return this.run.rootValue;
  }

  get operation() {
    return this.field.plan.operation;
  }

  get variableValues() {
    return this.run.variableValues;
  }
}
