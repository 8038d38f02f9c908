"""The JSON form of descriptors, which is DxDispatch's, read and written.

    text --relaxed_json--> values --place--> members
         --values, tensors, field_kinds--> fields --operators, documents--> descriptors

Nothing of it is loaded before a descriptor is read from JSON or written to it.
"""
