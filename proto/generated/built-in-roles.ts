// Generated from the catalogue of rbac by `npm run generate`. Do not edit.

export const builtInResources: Readonly<Record<string, readonly string[]>> = {
  "User": [
    "Create",
    "Read",
    "Update",
    "Delete",
    "Query",
    "ExportData",
    "UploadPicture"
  ],
  "Account": [
    "Read",
    "Delete",
    "Query"
  ],
  "Organization": [
    "Create",
    "Read",
    "Update",
    "Delete",
    "Query"
  ],
  "Project": [
    "Create",
    "Update",
    "Delete",
    "Query"
  ],
  "ProjectApp": [
    "Create",
    "Update",
    "Delete",
    "Query"
  ],
  "Resource": [
    "Create",
    "Update",
    "Delete",
    "Query"
  ],
  "Role": [
    "Create",
    "Update",
    "Delete",
    "Query"
  ],
  "Group": [
    "Create",
    "Update",
    "Delete",
    "Query"
  ],
  "Permission": [
    "Create",
    "Update",
    "Delete",
    "Query"
  ],
  "Tag": [
    "Create",
    "Update",
    "Delete",
    "Query"
  ],
  "ApiKey": [
    "Create",
    "Delete",
    "Query",
    "Revoke",
    "Exchange"
  ],
  "OrganizationMember": [
    "Read",
    "Update",
    "Remove",
    "Query"
  ],
  "OrganizationInvitation": [
    "Create",
    "Read",
    "Query",
    "Revoke",
    "ResendEmail",
    "Renew"
  ],
  "ProjectUser": [
    "Read",
    "Query"
  ],
  "UserSession": [
    "Read",
    "Query"
  ],
  "UserAuthenticationMethod": [
    "Read",
    "Query"
  ],
  "SigningKey": [
    "Query",
    "Rotate"
  ],
  "Decision": [
    "Evaluate"
  ],
  "AuditEvent": [
    "Query",
    "Export"
  ],
  "Webhook": [
    "Create",
    "Update",
    "Delete",
    "Query"
  ],
  "ProjectGrant": [
    "Create",
    "Update",
    "Delete",
    "Query"
  ],
  "ServiceAccount": [
    "Create",
    "Update",
    "Delete",
    "Query"
  ],
  "Domain": [
    "Create",
    "Update",
    "Delete",
    "Query"
  ],
  "Branding": [
    "Create",
    "Update",
    "Delete",
    "Query"
  ],
  "Connection": [
    "Create",
    "Update",
    "Delete",
    "Query"
  ],
  "Directory": [
    "Provision",
    "Update",
    "Query"
  ],
  "SupportAccess": [
    "Use",
    "Query",
    "Grant",
    "Revoke"
  ]
};

/** `ofOwn`: what holds for things that one has made, or for oneself. */
type Given = { readonly resource: string; readonly actions: readonly string[]; readonly ofOwn: readonly string[] };

/** By the name of the role. */
export const builtInRoles: Readonly<Record<string, readonly Given[]>> = {
  "Owner": [
    {
      "resource": "User",
      "actions": [
        "Read",
        "Query",
        "Create",
        "Update",
        "Delete",
        "UploadPicture",
        "ExportData"
      ],
      "ofOwn": []
    },
    {
      "resource": "Account",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Organization",
      "actions": [
        "Read",
        "Query",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "Project",
      "actions": [
        "Query",
        "Create",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "ProjectApp",
      "actions": [
        "Create",
        "Update",
        "Delete",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Resource",
      "actions": [
        "Query",
        "Create",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "Role",
      "actions": [
        "Query",
        "Create",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "Group",
      "actions": [
        "Query",
        "Create",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "Permission",
      "actions": [
        "Query",
        "Create",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "Tag",
      "actions": [
        "Query",
        "Create",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "ApiKey",
      "actions": [
        "Query",
        "Create",
        "Delete",
        "Revoke"
      ],
      "ofOwn": []
    },
    {
      "resource": "OrganizationMember",
      "actions": [
        "Read",
        "Query",
        "Update",
        "Remove"
      ],
      "ofOwn": []
    },
    {
      "resource": "OrganizationInvitation",
      "actions": [
        "Read",
        "Query",
        "Create",
        "Revoke",
        "ResendEmail",
        "Renew"
      ],
      "ofOwn": []
    },
    {
      "resource": "ProjectUser",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "UserSession",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "UserAuthenticationMethod",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "SigningKey",
      "actions": [
        "Query",
        "Rotate"
      ],
      "ofOwn": []
    },
    {
      "resource": "Decision",
      "actions": [
        "Evaluate"
      ],
      "ofOwn": []
    },
    {
      "resource": "AuditEvent",
      "actions": [
        "Query",
        "Export"
      ],
      "ofOwn": []
    },
    {
      "resource": "Webhook",
      "actions": [
        "Create",
        "Update",
        "Delete",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "ProjectGrant",
      "actions": [
        "Create",
        "Update",
        "Delete",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "ServiceAccount",
      "actions": [
        "Create",
        "Update",
        "Delete",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Domain",
      "actions": [
        "Create",
        "Update",
        "Delete",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Branding",
      "actions": [
        "Create",
        "Update",
        "Delete",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Connection",
      "actions": [
        "Create",
        "Update",
        "Delete",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Directory",
      "actions": [
        "Update",
        "Query",
        "Provision"
      ],
      "ofOwn": []
    },
    {
      "resource": "SupportAccess",
      "actions": [
        "Use",
        "Query",
        "Grant",
        "Revoke"
      ],
      "ofOwn": []
    }
  ],
  "Admin": [
    {
      "resource": "User",
      "actions": [
        "Read",
        "Query",
        "Create",
        "Update",
        "Delete",
        "UploadPicture",
        "ExportData"
      ],
      "ofOwn": []
    },
    {
      "resource": "Account",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Organization",
      "actions": [
        "Read",
        "Query",
        "Update"
      ],
      "ofOwn": []
    },
    {
      "resource": "Project",
      "actions": [
        "Query",
        "Create",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "ProjectApp",
      "actions": [
        "Create",
        "Update",
        "Delete",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Resource",
      "actions": [
        "Query",
        "Create",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "Role",
      "actions": [
        "Query",
        "Create",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "Group",
      "actions": [
        "Query",
        "Create",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "Permission",
      "actions": [
        "Query",
        "Create",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "Tag",
      "actions": [
        "Query",
        "Create",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "ApiKey",
      "actions": [
        "Query",
        "Create",
        "Delete",
        "Revoke"
      ],
      "ofOwn": []
    },
    {
      "resource": "OrganizationMember",
      "actions": [
        "Read",
        "Query",
        "Update",
        "Remove"
      ],
      "ofOwn": []
    },
    {
      "resource": "OrganizationInvitation",
      "actions": [
        "Read",
        "Query",
        "Create",
        "Revoke",
        "ResendEmail",
        "Renew"
      ],
      "ofOwn": []
    },
    {
      "resource": "ProjectUser",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "UserSession",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "UserAuthenticationMethod",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "SigningKey",
      "actions": [
        "Query",
        "Rotate"
      ],
      "ofOwn": []
    },
    {
      "resource": "Decision",
      "actions": [
        "Evaluate"
      ],
      "ofOwn": []
    },
    {
      "resource": "AuditEvent",
      "actions": [
        "Query",
        "Export"
      ],
      "ofOwn": []
    },
    {
      "resource": "Webhook",
      "actions": [
        "Create",
        "Update",
        "Delete",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "ProjectGrant",
      "actions": [
        "Create",
        "Update",
        "Delete",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "ServiceAccount",
      "actions": [
        "Create",
        "Update",
        "Delete",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Domain",
      "actions": [
        "Create",
        "Update",
        "Delete",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Branding",
      "actions": [
        "Create",
        "Update",
        "Delete",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Connection",
      "actions": [
        "Create",
        "Update",
        "Delete",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Directory",
      "actions": [
        "Update",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "SupportAccess",
      "actions": [
        "Use",
        "Query",
        "Grant",
        "Revoke"
      ],
      "ofOwn": []
    }
  ],
  "Dev": [
    {
      "resource": "User",
      "actions": [
        "Read",
        "Query",
        "Create"
      ],
      "ofOwn": [
        "Update",
        "Delete",
        "UploadPicture"
      ]
    },
    {
      "resource": "Account",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Organization",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Project",
      "actions": [
        "Query",
        "Create",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "ProjectApp",
      "actions": [
        "Create",
        "Update",
        "Delete",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Resource",
      "actions": [
        "Query",
        "Create",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "Role",
      "actions": [
        "Query",
        "Create",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "Group",
      "actions": [
        "Query",
        "Create",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "Permission",
      "actions": [
        "Query",
        "Create",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "Tag",
      "actions": [
        "Query",
        "Create",
        "Update",
        "Delete"
      ],
      "ofOwn": []
    },
    {
      "resource": "ApiKey",
      "actions": [
        "Query",
        "Create"
      ],
      "ofOwn": [
        "Delete",
        "Revoke"
      ]
    },
    {
      "resource": "OrganizationMember",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "OrganizationInvitation",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "ProjectUser",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "UserSession",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "UserAuthenticationMethod",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "SigningKey",
      "actions": [
        "Query",
        "Rotate"
      ],
      "ofOwn": []
    }
  ],
  "Viewer": [
    {
      "resource": "User",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Account",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Organization",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Project",
      "actions": [
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Resource",
      "actions": [
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Role",
      "actions": [
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Group",
      "actions": [
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Permission",
      "actions": [
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "Tag",
      "actions": [
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "ApiKey",
      "actions": [
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "OrganizationMember",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "OrganizationInvitation",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "ProjectUser",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "UserSession",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    },
    {
      "resource": "UserAuthenticationMethod",
      "actions": [
        "Read",
        "Query"
      ],
      "ofOwn": []
    }
  ],
  "Provisioning": [
    {
      "resource": "Directory",
      "actions": [
        "Provision"
      ],
      "ofOwn": []
    }
  ]
};
