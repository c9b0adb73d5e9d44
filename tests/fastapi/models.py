# SPDX-License-Identifier: GPL-3.0-or-later
"""The bodies that the API takes. Further fields are kept, as the contract wants it. Pydantic 1 (Debian 12) and 2 (Debian 13) both read this."""
import json
from typing import Any, Dict, List, Optional, Union

from pydantic import BaseModel, Extra, Field, StrictFloat, StrictInt, StrictStr, conint, constr, root_validator, validator

from component_types import CATEGORIES, RELATIONSHIP_TYPES, faults, known

Confidence = Union[StrictInt, StrictFloat]
Chapter = conint(strict=True, ge=-2**63, lt=2**63)


def check_fraction(value: Optional[float]) -> Optional[float]:
    if value is not None and not 0 <= value <= 1:
        raise ValueError("must be from 0 to 1")
    return value


def check_object(value: Any) -> Dict[str, Any]:
    """Pydantic would take a list of pairs too, and the empty list."""
    if not isinstance(value, dict):
        raise ValueError("must be an object")
    return value


class Object(BaseModel):
    @classmethod  # pydantic 2 does not call it, and takes only objects
    def validate(cls, value: Any) -> "Object":
        return value if isinstance(value, cls) else super().validate(check_object(value))


class Body(Object):
    class Config:
        extra = Extra.allow

    @root_validator(pre=True)
    def storable(cls, values: Dict[str, Any]) -> Dict[str, Any]:
        """What JSON text can carry and a database can keep: no lone surrogates, no NaN."""
        try:
            json.dumps(values, ensure_ascii=False, allow_nan=False).encode()
        except UnicodeEncodeError as error:
            raise ValueError("has half of a surrogate pair") from error
        return values

    def further(self) -> Dict[str, Any]:
        return {name: value for name, value in self.dict().items() if name not in self.__fields__}


class SessionIn(Body):
    title: StrictStr = "Untitled"


class NodeIn(Body):
    node_id: constr(strict=True, min_length=1, max_length=128)
    title: constr(strict=True, min_length=1, max_length=2000)
    raw_content: Optional[StrictStr] = None
    chapter_id: Optional[Chapter] = None
    content_category: Optional[StrictStr] = None

    @validator("content_category")
    def category(cls, value: Optional[str]) -> Optional[str]:
        if value is not None and value not in CATEGORIES:
            raise ValueError("send one of %s" % ", ".join(CATEGORIES))
        return value


class NodeChange(NodeIn):
    node_id: Optional[StrictStr] = None
    title: constr(strict=True, min_length=1, max_length=2000) = ""  # never looked at where none is sent


class TextsIn(Object):
    explanation: Optional[StrictStr] = None
    real_world_example: Optional[StrictStr] = None
    textbook_content: Optional[StrictStr] = None
    memory_trick: Optional[StrictStr] = None


class ComponentIn(Body):
    type: Optional[StrictStr] = None
    component_type: Optional[StrictStr] = None
    order: Optional[StrictInt] = None
    order_index: Optional[StrictInt] = None
    parameters: Dict[str, Any]
    confidence: Confidence = 1.0
    component_id: Optional[StrictStr] = None
    revision: Optional[StrictInt] = None
    _fraction = validator("confidence", allow_reuse=True)(check_fraction)
    _object = validator("parameters", pre=True, allow_reuse=True)(check_object)

    @root_validator(skip_on_failure=True)
    def by_the_table(cls, values: Dict[str, Any]) -> Dict[str, Any]:
        values["type"] = values["type"] or values["component_type"]
        wrong = known(values["type"]) or list(faults(values["type"], values["parameters"]))
        if wrong:
            raise ValueError("; ".join(wrong))
        values["order"] = values["order"] or values["order_index"]
        return values


class InsertIn(ComponentIn):
    position: Optional[conint(strict=True, ge=1)] = None


class SequenceIn(Body):
    components: List[ComponentIn] = Field(max_items=500)
    suggested_template: Optional[StrictStr] = None
    overall_confidence: Optional[Confidence] = None
    _fraction = validator("overall_confidence", allow_reuse=True)(check_fraction)


class RelationshipIn(Body):
    from_node_id: StrictStr
    to_node_id: StrictStr
    relationship_type: StrictStr = "LEADS_TO"
    explanation: Optional[StrictStr] = None
    created_by: Optional[StrictStr] = None
    confidence_score: Confidence = 1.0
    _fraction = validator("confidence_score", allow_reuse=True)(check_fraction)

    @validator("relationship_type")
    def known_type(cls, value: str) -> str:
        if value not in RELATIONSHIP_TYPES:
            raise ValueError("send one of %s" % ", ".join(RELATIONSHIP_TYPES))
        return value

    @validator("to_node_id")
    def to_another(cls, value: str, values: Dict[str, Any]) -> str:
        if value == values.get("from_node_id"):
            raise ValueError("a node has no relationship to itself")
        return value


class RelationshipChange(Object):
    relationship_type: StrictStr = "LEADS_TO"
    explanation: Optional[StrictStr] = None
    confidence_score: Confidence = 1.0
    _known = validator("relationship_type", allow_reuse=True)(RelationshipIn.known_type.__func__)
    _fraction = validator("confidence_score", allow_reuse=True)(check_fraction)


class BulkRelationship(RelationshipIn):
    from_node_id: StrictStr = Field(alias="from")
    to_node_id: StrictStr = Field(alias="to")
    relationship_type: StrictStr = Field("LEADS_TO", alias="type")


class BulkIn(Object):
    relationships: List[BulkRelationship]


class Point(Object):
    x: Confidence
    y: Confidence


class PositionsIn(Object):
    positions: Dict[str, Optional[Point]]   # none takes one away
    _object = validator("positions", pre=True, allow_reuse=True)(check_object)


class Reorder(Object):
    order: List[StrictInt]


# ---- the poorer service: every field, and no other spelling ----


class PoorComponent(ComponentIn):
    type: StrictStr
    order: StrictInt
    confidence: Confidence


class PoorSequence(Body):
    node_id: StrictStr
    components: List[PoorComponent]
    suggested_template: Optional[StrictStr] = Field(...)
    overall_confidence: Optional[Confidence] = Field(...)
    _fraction = validator("overall_confidence", allow_reuse=True)(check_fraction)


class PoorPositions(Object):
    positions: Dict[str, Point]
    _object = validator("positions", pre=True, allow_reuse=True)(check_object)


class PoorAutoSave(Body):
    components: List[PoorComponent]
